// The tests that ask nothing of Node but its test runner, in a real Chromium, each file in a page
// of its own.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { openBrowser } from './pages.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const IMPORTS = { imports: { bulkheads: '/browser.mjs', 'bulkheads/testing': '/testing.mjs' } };
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify(IMPORTS)}</script>`;
/** What a page does not have. */
const OF_NODE = /from 'node:(?!test'|assert\/strict')|\bprocess\.|\brunScript\b/;

const names = readdirSync(here('..')).filter((name) => name.endsWith('.test.ts') && !OF_NODE.test(readFileSync(here(`../${name}`), 'utf8')));
const files = {
  '/': ['text/html', PAGE],
  '/browser.mjs': ['text/javascript', readFileSync(here('../../dist/browser.mjs'))],
  '/testing.mjs': ['text/javascript', readFileSync(here('../../dist/testing.mjs'))],
};

let opened;

before(async () => {
  for (const name of names) files[`/${name}`] = ['text/javascript', await bundled(name)];
  opened = await openBrowser(files);
});

after(() => opened?.close());

async function bundled(name) {
  const { outputFiles } = await build({
    stdin: { contents: `import './${name}'; export { run } from 'node:test';`, resolveDir: here('..') },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['bulkheads', 'bulkheads/testing'],
    alias: { 'node:test': here('node-test.ts'), 'node:assert/strict': here('assert.ts'), 'node:child_process': here('host.ts') },
    inject: [here('host.ts')],
    // The package's own say that its sources do nothing when they are imported, which is not so for
    // tests.
    ignoreAnnotations: true,
    logLevel: 'error',
  });
  return outputFiles[0].contents;
}

describe('in Chromium', () => {
  assert.ok(names.length > 0);
  for (const name of names) {
    it(name, async (context) => {
      const page = await opened.browser.newPage();
      const complaints = [];
      page.on('pageerror', (error) => complaints.push(error.stack));
      await page.goto(opened.origin);
      const results = await page.evaluate(async (path) => (await import(path)).run(), `/${name}`);
      await page.close();
      assert.ok(results.length > 0, 'it declares no test');
      for (const { name: test, trouble } of results) await context.test(test, () => assert.equal(trouble, ''));
      assert.deepEqual(complaints, []);
    });
  }
});
