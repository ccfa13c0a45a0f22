// The browser build in a real Chromium: `npm run test:browser`. In a page, in a worker, and where
// WebAssembly may not be compiled.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { openBrowser } from './browser/pages.mjs';

const PAGE = '<!doctype html><meta charset="utf-8"><title>bulkheads</title><link rel="icon" href="data:,">';
const WORKER = `
  import { Bulkhead } from '/browser.mjs';
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 20 });
  shipping.exec(() => new Promise(() => {}));
  const code = await shipping.exec(() => 1).catch((error) => error.code);
  postMessage([Bulkhead.engine, code, shipping.stats().active]);
`;
const FILES = {
  '/': ['text/html', PAGE],
  '/strict': ['text/html', PAGE, { 'content-security-policy': "script-src 'self'" }],
  '/allowed': ['text/html', PAGE, { 'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'" }],
  '/worker.mjs': ['text/javascript', WORKER],
  '/browser.mjs': ['text/javascript', readFileSync(new URL('../dist/browser.mjs', import.meta.url))],
};

let opened;

before(async () => {
  opened = await openBrowser(FILES);
});

after(() => opened?.close());

/** What `act` answers in a page of its own, and what the page complained of. */
async function inPage(path, act) {
  const page = await opened.browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`${opened.origin}${path}`);
  const answer = await page.evaluate(act);
  await page.close();
  return { answer, complaints };
}

describe('the browser build', () => {
  it('works in a page, from the first new Bulkhead on', async () => {
    const { answer, complaints } = await inPage('/', async () => {
      const { Bulkhead } = await import('/browser.mjs');
      const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 1, timeoutMs: 20, callTimeoutMs: 50 });
      const never = () => new Promise(() => {});
      const calls = [never, never, never, never].map((work) => shipping.exec(work).catch((error) => error.code));
      return [Bulkhead.engine, Bulkhead.engineError, ...(await Promise.all(calls)), await new Bulkhead('b', { maxConcurrent: 1 }).map([1, 2], (one) => one)];
    });
    assert.deepEqual(answer, ['wasm', undefined, 'call_timeout', 'call_timeout', 'queue_timeout', 'full', [1, 2]]);
    assert.deepEqual(complaints, []);
  });

  it('works in a worker', async () => {
    const { answer } = await inPage('/', () => new Promise((resolve) => {
      new Worker('/worker.mjs', { type: 'module' }).onmessage = ({ data }) => resolve(data);
    }));
    assert.deepEqual(answer, ['wasm', 'queue_timeout', 1]);
  });

  it('answers those who waited while the page was blocked, and grants nobody whose time was over', async () => {
    const { answer } = await inPage('/', async () => {
      const { Bulkhead } = await import('/browser.mjs');
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 3, timeoutMs: 50 });
      const hold = shipping.tryAcquire();
      const answers = [40, 60_000].map((timeoutMs) => shipping.exec(() => 'ran', { timeoutMs }).catch((error) => [error.code, error.waitedMs >= 200]));
      for (const end = performance.now() + 200; performance.now() < end;);
      hold.release();
      const late = shipping.exec(() => 'ran');
      return [...(await Promise.all([...answers, late])), shipping.stats().active];
    });
    assert.deepEqual(answer, [['queue_timeout', true], ['queue_timeout', true], 'ran', 0]);
  });

  const report = async () => {
    const { Bulkhead } = await import('/browser.mjs');
    try {
      return [new Bulkhead('shipping', { maxConcurrent: 1 }).stats().limit, null];
    } catch (error) {
      return [error.message, Bulkhead.engineError === error];
    }
  };

  it('can be imported under a strict Content-Security-Policy, and then says what to allow', async () => {
    const { answer } = await inPage('/strict', report);
    assert.match(answer[0], /allow 'wasm-unsafe-eval' in script-src of its Content-Security-Policy/);
    assert.equal(answer[1], true);
  });

  it("works under one with 'wasm-unsafe-eval'", async () => {
    assert.deepEqual((await inPage('/allowed', report)).answer, [1, null]);
  });

  it('refuses what it cannot do, and says why', async () => {
    const { answer } = await inPage('/', async () => {
      const { Bulkhead } = await import('/browser.mjs');
      const refusal = (act) => { try { return act(); } catch (error) { return error.message; } };
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, detectReentrancy: false });
      return [
        refusal(() => new Bulkhead('shipping', { maxConcurrent: 1, detectReentrancy: true })),
        refusal(() => structuredClone(shipping)),
        refusal(() => Bulkhead.shared('shipping', { maxConcurrent: 1 })),
      ];
    });
    assert.match(answer[0], /^detectReentrancy needs Node: there is no async context here/);
    assert.match(answer[1], /a bulkhead lives in one thread/);
    assert.match(answer[2], /^Bulkhead.shared needs the native engine of Node, and there is none here/);
  });

  it('warns once about dropped permits and takes them back', async () => {
    const { answer, complaints } = await inPage('/', async () => {
      const { Bulkhead } = await import('/browser.mjs');
      const shipping = new Bulkhead('shipping', { maxConcurrent: 2 });
      (() => { shipping.tryAcquire(); shipping.tryAcquire(); })();
      for (let round = 0; round < 100 && shipping.stats().leaked < 2; round += 1) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return [shipping.stats().leaked, shipping.stats().active];
    });
    assert.deepEqual(answer, [2, 0]);
    assert.equal(complaints.length, 1);
    assert.match(complaints[0], /^shipping: a permit was dropped without release/);
  });
});
