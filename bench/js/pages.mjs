// Samples in Chromium: each in a page of a context of its own, which has a process of its own.

import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const tools = createRequire(new URL('js/package.json', root));
const FLAGS = [
  '--headless',
  '--no-sandbox', // a container's root has no other way
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--expose-gc',
];
const PAGE = '<!doctype html><meta charset="utf-8"><title>bench</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
/** Alone in its process a page gets a clock that is not blurred. */
const ALONE = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const TIMEOUT_MS = 60_000;

/** `{ take, version, close }` */
export async function openPages(quick) {
  const files = await bundle();
  const server = createServer(({ url }, response) => {
    const file = files.get(url);
    const type = url === '/' ? 'text/html' : 'text/javascript';
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, ...ALONE }).end(file);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const origin = `http://127.0.0.1:${server.address().port}/`;
  const browser = await tools('playwright-core').chromium.launch({ executablePath: findChromium(), args: FLAGS });
  return {
    version: browser.version(),
    take: (id, name) => sampleIn(browser, origin, [id, name, quick]),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

async function sampleIn(browser, origin, args) {
  const [id, name] = args;
  const context = await browser.newContext();
  const page = await context.newPage();
  const late = new Promise((resolve) => { setTimeout(resolve, TIMEOUT_MS, { missing: `has not finished within ${TIMEOUT_MS / 1000} s` }).unref(); });
  try {
    await page.goto(origin);
    await page.waitForFunction(() => 'takeSample' in globalThis);
    const sample = await Promise.race([page.evaluate((given) => globalThis.takeSample(...given), args), late]);
    if (name === 'bulkheads' && sample.missing !== undefined) throw new Error(`${id} ${sample.missing}`);
    return sample;
  } catch (error) {
    // A peer that fails is missing; we must not fail.
    if (name === 'bulkheads') throw error;
    return { missing: error.message.split('\n')[0] };
  } finally {
    await context.close();
  }
}

async function bundle() {
  const { outputFiles } = await tools('esbuild').build({
    entryPoints: [fileURLToPath(new URL('page.mjs', import.meta.url))],
    outdir: 'unwritten',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return new Map([['/', PAGE], ...outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents])]);
}

function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return execFileSync(fileURLToPath(new URL('tests/ci/chromium.sh', root)), { encoding: 'utf8' }).trim();
}
