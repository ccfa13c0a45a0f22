// Where the consumers live: copies of `consumers`, each with the packages as npm installed them,
// below the tools.

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const HOME = join(root, 'target/consumers');
export const PROGRAMS = join(HOME, 'programs');

/** What the README has its readers type: as long as there is no release, and then. */
const [ARCHIVES, LINE] = readFileSync(join(root, 'README.md'), 'utf8').match(/^npm install .*$/gm);
/** The projects, and what is typed in each. */
const INSTALLS = {
  whole: LINE,
  archives: ARCHIVES.replaceAll('…', root),
  musl: `${LINE} --os=linux --cpu=x64 --libc=musl`,
  'left-out': `${LINE} --omit=optional`,
  foreign: `${LINE} --os=darwin --cpu=arm64`,
};
/** Where others than npm install. */
const BARE = ['by-bun', 'by-deno'];
/** Copies of the first, and what happened to them. */
const COPIES = {
  again: () => undefined,
  garbage: (engine) => writeFileSync(join(engine, 'bulkheads.node'), 'this is no shared library'),
  outdated: (engine) => edit(join(engine, 'index.cjs'), (text) => text.replace(/version = '.*'/, "version = '0.0.1'")),
};

/**
 * From the registry at `origin`, which is needed longer where a consumer has an installer of its
 * own.
 */
export async function install(origin) {
  linkPrograms();
  const cache = join(HOME, 'cache');
  rmSync(cache, { recursive: true, force: true });
  const env = { ...process.env, npm_config_registry: origin, npm_config_cache: cache, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  await Promise.all(Object.entries(INSTALLS).map(([project, line]) => promisify(execFile)('bash', ['-c', line], { cwd: start(project), env })));
  for (const project of BARE) start(project);
  for (const [project, change] of Object.entries(COPIES)) {
    cpSync(join(HOME, 'whole'), join(start(project)), { recursive: true });
    change(engineFolder(project));
  }
}

/** Whether there is an engine for this platform. */
export function isPacked(platform) {
  return existsSync(join(root, 'target/npm', `engine-${platform}`, 'bulkheads.node'));
}

function engineFolder(project) {
  const scope = join(HOME, project, 'node_modules/@bulkheads');
  return join(scope, readdirSync(scope)[0]);
}

function start(project) {
  const folder = join(HOME, project);
  rmSync(folder, { recursive: true, force: true });
  cpSync(fileURLToPath(new URL('consumers/', import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  return folder;
}

/**
 * Programs that npm brought inside of a package. Everything that is not said to run on another Node
 * runs on `node`.
 */
function linkPrograms() {
  rmSync(PROGRAMS, { recursive: true, force: true });
  mkdirSync(PROGRAMS, { recursive: true });
  if (isPacked('linux-x64-musl')) {
    symlinkSync(execFileSync(join(root, 'tests/ci/musl-node.sh'), { encoding: 'utf8' }).trim(), join(PROGRAMS, 'node-musl'));
  }
  const brought = {
    node: 'node-24/bin/node', 'node-20': 'node-20/bin/node', 'node-22': 'node-22/bin/node', 'node-24': 'node-24/bin/node', 'node-26': 'node-26/bin/node',
    bun: anyOf('@oven', 'bin/bun'), deno: anyOf('@deno', 'deno'), workerd: anyOf('@cloudflare', 'bin/workerd'),
  };
  for (const [name, path] of Object.entries(brought)) {
    const program = join(HOME, 'node_modules', path);
    if (!existsSync(program)) throw new Error(`npm has brought no ${name} for this machine (${path})`);
    chmodSync(program, 0o755);
    symlinkSync(program, join(PROGRAMS, name));
  }
}

/** The package of this scope that fits the machine, which is the only one that is installed. */
function anyOf(scope, path) {
  const [name] = readdirSync(join(HOME, 'node_modules', scope));
  return join(scope, name, path);
}

function edit(file, renew) {
  writeFileSync(file, renew(readFileSync(file, 'utf8')));
}
