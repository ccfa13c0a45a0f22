import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as esm from 'bulkheads';
import { runScript } from './support.js';

const { Bulkhead } = esm;
const require = createRequire(import.meta.url);
const forced = process.env['BULKHEADS_ENGINE'];

const REPORT = `
  const { Bulkhead } = bulkheads;
  const made = (() => { try { return new Bulkhead('shipping', { maxConcurrent: 1 }).stats().limit; } catch (error) { return error.message; } })();
  console.log(JSON.stringify([Bulkhead.engine, Bulkhead.engineError?.message ?? null, made]));
`;

async function report(script: string, engine?: string): Promise<unknown> {
  const { stdout, stderr } = await runScript(`${script}\n${REPORT}`, { env: { BULKHEADS_ENGINE: engine ?? '' } });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

describe('the engine', () => {
  it(`is the one that was asked for, ${forced}`, () => {
    assert.equal(Bulkhead.engine, forced);
    assert.equal(Bulkhead.engineError, undefined);
  });

  it('is native in Node unless said otherwise', async () => {
    assert.deepEqual(await report("import * as bulkheads from 'bulkheads';"), ['native', null, 1]);
    assert.deepEqual(await report("import * as bulkheads from 'bulkheads';", 'wasm'), ['wasm', null, 1]);
  });

  const withoutAddon = `
    import { createRequire } from 'node:module';
    import Module from 'node:module';
    const load = Module._extensions['.node'];
    Module._extensions['.node'] = () => { throw new Error('no addon for this machine'); };
    const bulkheads = createRequire(import.meta.url)('bulkheads');
  `;

  const reasons = /^bulkheads: the native engine could not be loaded: @bulkheads\/engine-\S+: not installed [^;]*; native\W\S+\.node: no addon for this machine$/;

  it('falls back to wasm when the addon cannot be loaded, and says why for each place where it looked', async () => {
    const [engine, text, limit] = await report(withoutAddon) as unknown[];
    assert.deepEqual([engine, limit], ['wasm', 1]);
    assert.match(String(text), reasons);
  });

  it('does not fall back when native is forced', async () => {
    const [engine, text, made] = await report(withoutAddon, 'native') as unknown[];
    assert.equal(engine, 'native');
    assert.match(String(text), reasons);
    assert.equal(made, text);
  });

  it('has the reasons one by one', async () => {
    const { stdout } = await runScript(`${withoutAddon}
      console.log(bulkheads.Bulkhead.engineError.cause.errors.map((reason) => reason.cause.message.slice(0, 13)).join());
    `, { env: { BULKHEADS_ENGINE: '' } });
    assert.equal(stdout, 'not installed,no addon for');
  });

  it('is not sought where none is published', async () => {
    const [engine, text] = await report(`
      import { createRequire } from 'node:module';
      Object.defineProperty(process, 'arch', { value: 'pdp11' });
      const bulkheads = createRequire(import.meta.url)('bulkheads');
    `) as unknown[];
    assert.equal(engine, 'wasm');
    assert.match(String(text), /could not be loaded: \S+-pdp11\S*: no engine is published for this platform$/);
  });

  it('must be one that there is', async () => {
    const text = 'BULKHEADS_ENGINE must be native or wasm, got rust';
    assert.deepEqual(await report("import * as bulkheads from 'bulkheads';", 'rust'), ['wasm', text, text]);
  });

  it('outside of Node is wasm; where it may not be compiled, importing works and the error says what to allow', async () => {
    const browser = "const bulkheads = await import(new URL('dist/browser.mjs', `file://${process.cwd()}/`).href);";
    assert.deepEqual(await report(browser), ['wasm', null, 1]);
    const text = "bulkheads: WebAssembly may not be compiled here; a page must allow 'wasm-unsafe-eval' in script-src of its Content-Security-Policy, a bundle for workerd needs the export condition workerd (CompileError: no)";
    assert.deepEqual(await report(`WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('no'); } }; ${browser}`), ['wasm', text, text]);
    const none = await report(`delete globalThis.WebAssembly; ${browser}`) as string[];
    assert.match(String(none[1]), /^bulkheads: this host has no WebAssembly/);
  });

  it('works without performance', async () => {
    const { stdout } = await runScript(`
      const bulkheads = await import(new URL('dist/browser.mjs', \`file://\${process.cwd()}/\`).href);
      Object.defineProperty(globalThis, 'performance', { value: undefined });
      const shipping = new bulkheads.Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 30 });
      shipping.tryAcquire();
      shipping.exec(() => 1).catch((error) => console.log(error.code, error.waitedMs >= 30));
    `);
    assert.equal(stdout, 'queue_timeout true');
  });
});

describe('the package', () => {
  it('exports the same classes to import and require', () => {
    const cjs = require('bulkheads') as typeof esm;
    assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
    for (const name of Object.keys(esm) as (keyof typeof esm)[]) assert.equal(cjs[name], esm[name], name);
  });

  it('exports what it promises, in every build', async () => {
    const names = [
      'Bulkhead', 'BulkheadCallTimeoutError', 'BulkheadClosedError', 'BulkheadError', 'BulkheadFullError', 'BulkheadReentrantError', 'BulkheadTimeoutError',
      'BulkheadWeightError',
    ];
    assert.deepEqual(Object.keys(esm).sort(), names);
    const browser = await import(new URL('../dist/browser.mjs', import.meta.url).href) as object;
    assert.deepEqual(Object.keys(browser).sort(), names);
    assert.deepEqual(Object.keys(require('../dist/browser.cjs') as object).sort(), names);
    assert.deepEqual(Object.keys(require('bulkheads/testing') as object), ['VirtualClock']);
  });

  it('twice in one process: errors are told by their code', async () => {
    const other = require('../dist/browser.cjs') as typeof esm;
    const shipping = new other.Bulkhead('shipping', { maxConcurrent: 1 });
    const error: unknown = await shipping.exec(() => 1, { weight: 2 }).catch((reason: unknown) => reason);
    assert.ok(!(error instanceof esm.BulkheadError));
    assert.equal((error as { code: string }).code, 'too_heavy');
    assert.equal((error as Error).name, 'BulkheadWeightError');
  });

  it('starts no timer and loads no engine when it is imported', async () => {
    const { stdout } = await runScript(`
      const before = Object.keys(process.report.getReport().sharedObjects).length;
      await import('bulkheads');
      console.log(process.report.getReport().sharedObjects.some((file) => file.endsWith('.node')), process.getActiveResourcesInfo().includes('Timeout'));
    `);
    assert.equal(stdout, 'false false');
  });
});

it('a worker that is terminated with calls in its queue is nothing to the others', async () => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2 });
  const hold = shipping.tryAcquire();
  const waiting = shipping.exec(() => 'served');
  const worker = new Worker(`
    const { Bulkhead } = require('bulkheads');
    const inner = new Bulkhead('inner', { maxConcurrent: 1, maxQueue: 2 });
    inner.exec(() => new Promise(() => {}));
    inner.exec(() => 1).catch(() => 0);
    require('node:worker_threads').parentPort.postMessage(inner.stats().queued);
  `, { eval: true, execArgv: [] });
  assert.equal(await new Promise((resolve) => worker.once('message', resolve)), 1);
  await worker.terminate();
  hold?.release();
  assert.equal(await waiting, 'served');
});
