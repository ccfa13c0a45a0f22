// Which machine this is, by the names of platforms.json: the engines that are published, what the
// packing script and the workflows read.

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
 * Which C library the running program was linked with: the name of its loader says it. What is
 * installed on the machine would say less, since there may be both.
 */
function isMusl(): boolean {
  try {
    return loaderOf(process.execPath).includes('/ld-musl-');
  } catch {
    return false;
  }
}

/**
 * The path that stands in the segment `PT_INTERP` of a program: ELF, 64 bits, little-endian, as on
 * all platforms of ours.
 */
function loaderOf(program: string): string {
  const file = openSync(program, 'r');
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, at);
    return bytes;
  };
  try {
    const header = read(0, 64);
    const size = header.readUInt16LE(54);
    const segments = read(Number(header.readBigUInt64LE(32)), size * header.readUInt16LE(56));
    for (let at = 0; at < segments.length; at += size) {
      if (segments.readUInt32LE(at) !== PT_INTERP) continue;
      return read(Number(segments.readBigUInt64LE(at + 8)), Number(segments.readBigUInt64LE(at + 32))).toString('latin1');
    }
    return '';
  } finally {
    closeSync(file);
  }
}

const PT_INTERP = 3;
