// Where this code runs from: the package's own file, or the program that a bundler has put it into.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of the code that calls this. What `__filename` says is the first guess of bundlers only:
 * Turbopack puts a path there that does not exist, and an ES module has none.
 */
export function thisFile(): string {
  const file = calledFrom() ?? (typeof __filename === 'string' ? __filename : (process.argv[1] ?? process.execPath));
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

/** As V8 knows it, before source maps. */
function calledFrom(): string | undefined {
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    Error.prepareStackTrace = (_error, sites) => sites[0]?.getFileName();
    const file: unknown = new Error().stack;
    return typeof file === 'string' && /^(?:file:|\/|[a-z]:[\\/])/i.test(file) ? file : undefined;
  } catch {
    // A realm in which `Error` is frozen.
    return undefined;
  } finally {
    restore(before);
  }
}

function restore(before: PropertyDescriptor | undefined): void {
  if (before !== undefined) Reflect.defineProperty(Error, 'prepareStackTrace', before);
  else Reflect.deleteProperty(Error, 'prepareStackTrace');
}

/** Whether this is no longer the file that the package brought. */
export function isBundled(file: string): boolean {
  return basename(file) !== 'node.cjs' || basename(dirname(file)) !== 'dist';
}

/**
 * What finds packages from there: as the file itself does, and as `bulkheads` does where only that
 * is installed in plain sight (pnpm).
 */
export function finders(file: string): NodeJS.Require[] {
  const here = createRequire(file);
  try {
    return [here, createRequire(here.resolve('bulkheads/package.json'))];
  } catch {
    return [here];
  }
}

/**
 * Addons without the package around them: copied beside a bundle, or left by Next.js, which keeps
 * of a package what a program reads.
 */
export function addonsFor(file: string, name: string): string[] {
  const folders = createRequire(file).resolve.paths(name) ?? [];
  return [dirname(file), ...folders.map((folder) => join(folder, name))].map((folder) => join(folder, 'bulkheads.node')).filter((path) => existsSync(path));
}
