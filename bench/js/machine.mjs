// What the figures were taken with.

import { readFileSync } from 'node:fs';
import { cpus, type } from 'node:os';
import { PACKAGES } from './candidates/index.mjs';

export function machineKind() {
  const cores = cpus();
  return `${cores[0].model.trim()}, ${cores.length} cores, ${system()}`;
}

export function versions() {
  return Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)]));
}

function versionOf(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}

function system() {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))[1];
  } catch {
    return type();
  }
}
