// Which machine this is, by the names of platforms.json: the engines that are published, what the packing script and the
// workflows read.

import { closeSync, openSync, readSync } from 'node:fs';
import platforms from './platforms.json' with { type: 'json' };

/** `linux-x64-gnu`, `darwin-arm64`, …, whether an engine is published for it or not. */
export function platformHere(): string {
  const { platform, arch } = process;
  return platform === 'linux' ? `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}` : `${platform}-${arch}`;
}

/** The package that holds the engine for this platform, if there is one. */
export function packageFor(platform: string): string | undefined {
  return platforms.some(({ name }) => name === platform) ? `@bulkheads/engine-${platform}` : undefined;
}

/**
 * Which C library the running program was linked with stands near its beginning, as the path of its loader. What is installed on
 * the machine would say less: there may be both.
 */
function isMusl(): boolean {
  try {
    const file = openSync(process.execPath, 'r');
    const start = Buffer.alloc(4096);
    readSync(file, start, 0, start.length, 0);
    closeSync(file);
    return start.includes('/ld-musl-');
  } catch {
    return false;
  }
}
