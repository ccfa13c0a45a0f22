// The project of a host: a copy of its folder, with the package as the guide has it installed.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from '../shell.mjs';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const HERE = fileURLToPath(new URL('.', import.meta.url));
/** The tools, and the projects below. */
const HOME = join(ROOT, 'target/hosts');
const PROGRAMS = join(HOME, 'programs');
const PROJECTS = join(HOME, 'projects');
/** Where bundles are shipped to: no folder above has any package. */
const SHIPPED = join(ROOT, 'target/shipped');
const CACHES = join(HOME, 'caches');
/** The section of the guide that has the line of each installer. */
const INSTALLERS = { npm: 'npm', pnpm: 'pnpm', yarn: "Yarn with Plug'n'Play" };

/** Next.js builds for a minute on a busy machine. */
const LONGEST = 300_000;

export function start() {
  for (const folder of [PROGRAMS, PROJECTS, SHIPPED, CACHES]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  // The tools are installed above, where `npx` does not look: it would ask the registry.
  writeFileSync(join(PROGRAMS, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
}

/** What the last line says. */
export async function sayings(host, guide, origin) {
  const slug = host.name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const cwd = join(PROJECTS, slug);
  const env = environment(slug, host.engine, origin);
  cpSync(join(HERE, 'projects', host.project), cwd, { recursive: true });
  cpSync(join(HERE, '../consumers/use.mjs'), join(cwd, 'use.mjs'));
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  for (const [name, code] of Object.entries(settings(origin))) writeFileSync(join(cwd, name), code);
  const { files, lines } = sectionOf(guide, host.section);
  for (const [name, code] of files) writeFileSync(join(cwd, name === 'next.config.mjs' ? 'guide.config.mjs' : name), code);
  let output = '';
  for (const line of [...sectionOf(guide, INSTALLERS[host.installer]).lines, ...lines, ...host.lines]) output = await run(line, cwd, env, LONGEST);
  return output.trim().split('\n').at(-1);
}

function sectionOf(guide, name) {
  if (name === undefined) return { files: [], lines: [] };
  if (!guide.has(name)) throw new Error(`  the guide has no steps under the heading ${name}`);
  return guide.get(name);
}

/** The sections that no host follows: what they say is not tested. */
export function untested(guide, hosts) {
  const followed = new Set(hosts.flatMap(({ section, installer }) => [section, INSTALLERS[installer]]));
  return [...guide.keys()].filter((name) => !followed.has(name));
}

function environment(slug, engine, origin) {
  const { BULKHEADS_ENGINE: _, ...inherited } = process.env;
  return {
    ...inherited,
    ...(engine === undefined ? {} : { BULKHEADS_ENGINE: engine }),
    PATH: [PROGRAMS, join(HOME, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    HOSTS: HERE,
    PROJECT: slug,
    SHIPPED: join(SHIPPED, slug),
    NO_COLOR: '1',
    CI: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    YARN_ENABLE_TELEMETRY: '0',
    npm_config_registry: origin,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    // What was packed before has the same version.
    npm_config_cache: join(CACHES, 'npm'),
    pnpm_config_store_dir: join(CACHES, 'pnpm'),
    pnpm_config_cache_dir: join(CACHES, 'pnpm-cache'),
    YARN_GLOBAL_FOLDER: join(CACHES, 'yarn'),
  };
}

/**
 * Where each installer finds the registry. An empty lock file says that a project is no part of one
 * above.
 */
function settings(origin) {
  return {
    '.npmrc': `registry=${origin}\n`,
    '.yarnrc.yml': `npmRegistryServer: "${origin}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nenableImmutableInstalls: false\nnpmMinimalAgeGate: 0\n`,
    'yarn.lock': '',
  };
}
