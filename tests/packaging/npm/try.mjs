// Runs one consumer: types its lines, opens its page, and looks whether it says what it should.

import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { look } from './browsers.mjs';
import { HOME, PROGRAMS } from './install.mjs';
import { serve } from './site.mjs';

const LONGEST = 90_000;
const PATH = [PROGRAMS, join(HOME, 'node_modules/.bin'), process.env.PATH].join(delimiter);
const { BULKHEADS_ENGINE: _, ...inherited } = process.env;
const ENV = {
  ...inherited,
  PATH,
  NO_COLOR: '1',
  CI: 'true',
  PACKAGES: join(HOME, '../packages'),
  // Theirs would have what was packed before, under the same version.
  BUN_INSTALL_CACHE_DIR: join(HOME, 'cache/bun'),
  DENO_DIR: join(HOME, 'cache/deno'),
};

/** What it says; throws if it should say something else. `registry` is where installers find the packages. */
export async function tryOut(consumer, registry) {
  const said = await saidBy(consumer, { ...ENV, npm_config_registry: registry, NPM_CONFIG_REGISTRY: registry });
  const { says } = consumer;
  if (isRight(said, says)) return said;
  throw new Error(`  it should say ${says}\n  but said      ${said}`);
}

function isRight(said, says) {
  if (typeof says === 'number') return Number(said) > 0 && Number(said) <= says;
  return typeof says === 'string' ? says === said : says.test(said);
}

async function saidBy({ project, folder, lines, page, server, headers, browser }, env) {
  const cwd = join(HOME, project, folder);
  let output = '';
  for (const line of lines) output = await run(line, cwd, env);
  if (server !== undefined) return withServer(server, cwd, env, (url) => look(browser, url));
  if (page === undefined) return output.trim().split('\n').at(-1);
  const site = await serve(join(HOME, project), headers);
  try {
    return await look(browser, `${site.origin}/${folder}/${page}`);
  } finally {
    site.close();
  }
}

function run(line, cwd, env) {
  const { child, output } = start(line, cwd, env);
  const timer = setTimeout(() => stop(child), LONGEST);
  return new Promise((resolve, reject) => {
    child.once('close', (status) => {
      clearTimeout(timer);
      if (status === 0) resolve(output.out);
      else reject(new Error(`  ${line} ended with ${status}\n${output.all}`));
    });
  });
}

/** Until it has said where its page is, and then until that was looked at. */
async function withServer(line, cwd, env, act) {
  const { child, output } = start(line, cwd, env);
  try {
    const url = await new Promise((resolve, reject) => {
      child.stdout.on('data', () => {
        const found = output.out.match(/http:\/\/\S+/);
        if (found !== null) resolve(found[0]);
      });
      child.once('close', () => reject(new Error(`  ${line} has ended\n${output.all}`)));
    });
    return await act(url);
  } finally {
    stop(child);
  }
}

function start(line, cwd, env) {
  // A group of its own, so that what it starts ends with it.
  const child = spawn('bash', ['-c', line], { cwd, env, detached: true });
  const output = { out: '', all: '' };
  child.stdout.on('data', (data) => {
    output.out += data;
    output.all += data;
  });
  child.stderr.on('data', (data) => {
    output.all += data;
  });
  return { child, output };
}

function stop(child) {
  try {
    process.kill(-child.pid);
  } catch {
    // It has ended by itself.
  }
}
