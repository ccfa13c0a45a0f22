// The versions of Node that rows are measured on.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * Those that the targets name. package.json pins each of them as a package that brings Node's own
 * binary.
 */
const PINNED = [20, 24];

/**
 * `[{ path, version }]`. The first one measures every row, the others those rows whose target names
 * several. Without `paths`: the Node that runs this, and whichever of the pinned ones has another
 * major version.
 */
export function runtimes(paths) {
  if (paths !== undefined) return paths.map((path) => ({ path, version: versionOf(path) }));
  const own = { path: process.execPath, version: process.version };
  return [own, ...PINNED.filter((major) => !own.version.startsWith(`v${major}.`)).map(pinned)];
}

function pinned(major) {
  const path = fileURLToPath(new URL(`node_modules/node-${major}-${arch()}/bin/node`, import.meta.url));
  if (!existsSync(path)) {
    const name = `${platform()} on ${arch()}`;
    throw new Error(`there is no package with Node ${major} for ${name}; say which Nodes to measure: --node PATH --node PATH`);
  }
  return { path, version: versionOf(path) };
}

function versionOf(path) {
  return execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
}
