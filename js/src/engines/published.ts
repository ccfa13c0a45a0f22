// The packages that hold the engines, each required by its name spelled out: what collects the
// files of a program (Next.js with `output: 'standalone'`, @vercel/nft, bundlers) reads names, and
// never finds one that is put together.

/** What such a package exports. */
export interface Published {
  /** It is of the same release as this package, or it is not used. */
  readonly version: string;
  readonly load: () => unknown;
}

/* eslint-disable @typescript-eslint/no-require-imports -- an import would make each of them a condition of loading this file */

/** webpack and Rspack have this in place of `require`, */
declare const __webpack_require__: unknown;
/** and write `require` where they read this. */
declare const __non_webpack_require__: NodeJS.Require;

/**
 * `undefined` where the package is not to be seen from here, or a bundler has left no `require`.
 * Each call stands in a `try`: else bundlers refuse to build on a machine that lacks the packages
 * of the others.
 */
export function requirePublished(platform: string): Published | undefined {
  // webpack reads only the branch that is its own. In the other it would warn of each package that
  // is not for this machine.
  if (typeof __webpack_require__ === 'undefined') {
    try {
      switch (platform) {
        case 'linux-x64-gnu':
          return require('@bulkheads/engine-linux-x64-gnu') as Published;
        case 'linux-x64-musl':
          return require('@bulkheads/engine-linux-x64-musl') as Published;
        case 'linux-arm64-gnu':
          return require('@bulkheads/engine-linux-arm64-gnu') as Published;
        case 'linux-arm64-musl':
          return require('@bulkheads/engine-linux-arm64-musl') as Published;
        case 'darwin-x64':
          return require('@bulkheads/engine-darwin-x64') as Published;
        case 'darwin-arm64':
          return require('@bulkheads/engine-darwin-arm64') as Published;
        case 'win32-x64':
          return require('@bulkheads/engine-win32-x64') as Published;
        case 'win32-arm64':
          return require('@bulkheads/engine-win32-arm64') as Published;
        default:
          return undefined;
      }
    } catch {
      return undefined;
    }
  }
  try {
    switch (platform) {
      case 'linux-x64-gnu':
        return __non_webpack_require__('@bulkheads/engine-linux-x64-gnu') as Published;
      case 'linux-x64-musl':
        return __non_webpack_require__('@bulkheads/engine-linux-x64-musl') as Published;
      case 'linux-arm64-gnu':
        return __non_webpack_require__('@bulkheads/engine-linux-arm64-gnu') as Published;
      case 'linux-arm64-musl':
        return __non_webpack_require__('@bulkheads/engine-linux-arm64-musl') as Published;
      case 'darwin-x64':
        return __non_webpack_require__('@bulkheads/engine-darwin-x64') as Published;
      case 'darwin-arm64':
        return __non_webpack_require__('@bulkheads/engine-darwin-arm64') as Published;
      case 'win32-x64':
        return __non_webpack_require__('@bulkheads/engine-win32-x64') as Published;
      case 'win32-arm64':
        return __non_webpack_require__('@bulkheads/engine-win32-arm64') as Published;
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}
