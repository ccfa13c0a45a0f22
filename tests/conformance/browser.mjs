// The scenarios through the public API inside a headless Chromium:
// `node tests/conformance/browser.mjs FOLDER|FILE…`. The page loads the browser build as a site
// would, from a server of its own, and plays the scenarios itself.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { launch } from '../ci/chromium.mjs';
import { readScenarioFiles } from './lib/files.mjs';

const root = new URL('../../', import.meta.url);

/** What the page may load, and nothing else. */
const SERVED = /^\/(js\/dist\/(browser|testing)\.mjs|tests\/conformance\/[\w/-]+\.mjs)$/;
const PAGE = '<!doctype html><meta charset="utf-8"><title>conformance</title><link rel="icon" href="data:,">';

async function main(paths) {
  if (paths.length === 0) throw new Error('usage: browser.mjs FOLDER|FILE…');
  const files = readScenarioFiles(paths);
  const server = createServer(serve);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => fail(`the page failed: ${error.stack}`));
    page.on('console', (message) => fail(`the page's console: ${message.text()}`));
    await page.exposeFunction('print', (line) => console.log(line));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const { failed } = await page.evaluate(play, files);
    if (failed > 0) process.exitCode = 1;
  } finally {
    await browser.close();
    server.close();
  }
}

/** Runs in the page. */
async function play(files) {
  const [api, testing, { lacking, PublicSurface }, { run }] = await Promise.all([
    import('/js/dist/browser.mjs'),
    import('/js/dist/testing.mjs'),
    import('/tests/conformance/public/surface.mjs'),
    import('/tests/conformance/scenario.mjs'),
  ]);
  const lines = [];
  const make = (options, tell) => new PublicSurface({ ...api, ...testing }, options, tell);
  const counts = await run(files, 'browser', make, (line) => lines.push(line), (scenario) => lacking(api, scenario));
  for (const line of lines) await globalThis.print(line);
  return counts;
}

/** Before the closing line, which says that all went well. */
function fail(message) {
  process.exitCode = 1;
  console.log(message);
}

function serve(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname === '/') return answer(response, 200, 'text/html', PAGE);
  if (!SERVED.test(pathname)) return answer(response, 404, 'text/plain', 'not found');
  answer(response, 200, 'text/javascript', readFileSync(fileURLToPath(new URL(`.${pathname}`, root))));
}

function answer(response, status, type, body) {
  response.writeHead(status, { 'content-type': type }).end(body);
}

await main(process.argv.slice(2));
