// Runs one consumer: types its lines, opens its page, and looks whether it says what it should.

import { delimiter, join } from 'node:path';
import process from 'node:process';
import { look } from './browsers.mjs';
import { HOME, PROGRAMS } from './install.mjs';
import { run, withServer } from './shell.mjs';
import { serve } from './site.mjs';

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

/**
 * What it says; throws if it should say something else. `registry` is where installers find the
 * packages.
 */
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
