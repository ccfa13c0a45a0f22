// Serves the page, hands it commands and takes its answers.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const { build } = createRequire(new URL('../../js/package.json', import.meta.url))('esbuild');

const HEAD = '<!doctype html><meta charset="utf-8"><title>bench</title><link rel="icon" href="data:,">';
const PAGE = `${HEAD}<script type="module" src="/page.js"></script>`;
const HEADERS = {
  // Alone in its process a page gets a clock that is not blurred.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  // And is gone when it has been left.
  'cache-control': 'no-store',
};

export async function openSite() {
  const files = await bundle();
  let pages = 0;
  let userAgent;
  let ready = withResolvers();
  let answered;
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') return take(request.url, JSON.parse(await text(request)), response);
    const file = files.get(request.url);
    const type = request.url === '/' ? 'text/html' : 'text/javascript';
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, ...HEADERS }).end(file);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });

  /** Of a site of its own. */
  function nextPage() {
    pages += 1;
    return `http://page-${pages}.localhost:${server.address().port}/`;
  }

  function take(url, body, response) {
    if (url === '/ready') {
      userAgent = body;
      ready.resolve(response);
    } else {
      response.end(JSON.stringify(nextPage()));
      answered(body);
    }
  }

  return {
    nextPage,
    agent: () => userAgent,
    /** The answer of the next page that is ready. */
    async command(body) {
      const response = await ready.promise;
      ready = withResolvers();
      const answer = new Promise((resolve) => { answered = resolve; });
      response.end(JSON.stringify(body));
      return answer;
    },
    /** Nobody who was asked will answer. */
    forget() {
      ready = withResolvers();
    },
    close: () => server.close(),
  };
}

function withResolvers() {
  let resolve;
  const promise = new Promise((first) => { resolve = first; });
  return { promise, resolve };
}

async function bundle() {
  const { outputFiles } = await build({
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
