// `Bulkhead.shared` in one thread: names, options, and where it does not work. What it does across
// threads is in shared-*.test.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { outcome, runScript } from './support.js';
import { freshName, keepAlive, withThreads } from './threads.js';

keepAlive();

const isNative = process.env['BULKHEADS_ENGINE'] === 'native';
const options = { maxConcurrent: 2, maxQueue: 3, timeoutMs: 500, callTimeoutMs: 800, abandonAfterMs: 20, stackTraces: true };

describe('a shared bulkhead', { skip: !isNative && 'only the native engine shares' }, () => {
  it('is the same object for each call in a thread', () => {
    const name = freshName();
    const shared = Bulkhead.shared(name, options);
    assert.ok(shared instanceof Bulkhead);
    assert.equal(shared.name, name);
    assert.equal(Bulkhead.shared(name), shared);
    assert.equal(Bulkhead.shared(name, { ...options }), shared);
    assert.notEqual(Bulkhead.shared(freshName(), options), shared);
    const { shared: open } = Bulkhead;
    assert.equal(open(name), shared);
  });

  it('is a new one after a reset of its name, for every thread; whoever has the old one keeps it', withThreads(1, async (thread) => {
    const name = freshName();
    const old = Bulkhead.shared(name, { maxConcurrent: 1, maxQueue: 1 });
    const permit = old.tryAcquire();
    const waiting = outcome(old.exec(() => 'served'));
    await thread.run(({ Bulkhead, kept }, own) => (kept['old'] = Bulkhead.shared(own), undefined), name);
    Bulkhead.shared.reset(name);
    assert.throws(() => Bulkhead.shared(name), /nobody shares a bulkhead of this name yet/);
    const fresh = Bulkhead.shared(name, { maxConcurrent: 3 });
    assert.notEqual(fresh, old);
    assert.equal(Bulkhead.shared(name), fresh);
    fresh.tryAcquire();
    const seen = await thread.run(({ Bulkhead, get }, own) => {
      const [before, now] = [get<typeof Bulkhead.prototype>('old'), Bulkhead.shared(own)];
      return [before.stats().limit, now.stats().limit, now.stats().active, before === now];
    }, name);
    assert.deepEqual(seen, [1, 3, 1, false]);
    permit?.release();
    assert.equal(await waiting, 'served');
    assert.deepEqual([old.stats().active, fresh.stats().active], [0, 1]);
    Bulkhead.shared.reset(freshName());
    assert.throws(() => Bulkhead.shared.reset(5 as never), new TypeError('name must be a string, got 5'));
  }));

  it('has nothing to do with private ones of its name', async () => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 1 });
    const own = new Bulkhead(name, { maxConcurrent: 1 });
    const permit = await own.acquire();
    assert.equal(shared.stats().active, 0);
    permit.release();
  });

  it('tells names apart that differ in anything', () => {
    for (const name of ['', 'ä', 'a\u0308', '\ud800', '\ud801', 'a\0b', 'a\0c', 'x'.repeat(10_000)]) {
      const shared = Bulkhead.shared(name, { maxConcurrent: 1 });
      assert.equal(shared.tryAcquire()?.weight, 1, name);
    }
  });

  it('needs options where it is first asked for', () => {
    const name = freshName();
    const error = { name: 'TypeError', message: `${name}: nobody shares a bulkhead of this name yet, and the first call of Bulkhead.shared must give its options` };
    assert.throws(() => Bulkhead.shared(name), error);
    assert.throws(() => Bulkhead.shared(name, undefined), error);
    Bulkhead.shared(name, { maxConcurrent: 1 });
    Bulkhead.shared(name);
  });

  it('checks name and options as the constructor does, and is not made if they are bad', () => {
    const name = freshName();
    for (const bad of [1, null, undefined, Symbol('s'), {}]) {
      // @ts-expect-error a name is a string
      assert.throws(() => Bulkhead.shared(bad, options), { name: 'TypeError', message: /^name must be a string, got / });
    }
    // @ts-expect-error a typo
    assert.throws(() => Bulkhead.shared(name, { maxConcurrent: 1, maxQueueSize: 1 }), { name: 'TypeError', message: /^unknown option maxQueueSize/ });
    // @ts-expect-error null is not the default
    assert.throws(() => Bulkhead.shared(name, null), { name: 'TypeError', message: /^options must be an object/ });
    assert.throws(() => Bulkhead.shared(name, { maxConcurrent: 0 }), { name: 'RangeError', message: /^maxConcurrent must be / });
    assert.throws(() => Bulkhead.shared(name, { maxConcurrent: 1, timeoutMs: NaN }), { name: 'RangeError', message: /^timeoutMs must be / });
    assert.throws(() => Bulkhead.shared(name), /nobody shares/);
    Bulkhead.shared(name, options);
    assert.throws(() => Bulkhead.shared(name, { maxConcurrent: 0 }), { name: 'RangeError', message: /^maxConcurrent must be / });
  });

  const others = [
    [{ maxConcurrent: 5 }, 'maxConcurrent 2 (not 5)'],
    [{ maxQueue: 0 }, 'maxQueue 3 (not 0)'],
    [{ maxQueue: undefined }, 'maxQueue 3 (not 0)'],
    [{ timeoutMs: 0.5 }, 'timeoutMs 500 (not 0.5)'],
    [{ timeoutMs: undefined }, 'timeoutMs 500 (not 800)'],
    [{ callTimeoutMs: Infinity }, 'callTimeoutMs 800 (not Infinity)'],
    [{ abandonAfterMs: undefined }, 'abandonAfterMs 20 (not Infinity)'],
    [{ stackTraces: undefined }, 'stackTraces true (not false)'],
    [{ trackPermits: true }, 'trackPermits false (not true)'],
    [{ detectReentrancy: true, stackTraces: false }, 'stackTraces true (not false), detectReentrancy false (not true)'],
    [{ maxConcurrent: 1, maxQueue: 1, stackTraces: false }, 'maxConcurrent 2 (not 1), maxQueue 3 (not 1), stackTraces true (not false)'],
  ] as const;

  for (const [change, difference] of others) {
    it(`with other options is an error that names the difference: ${difference}`, withThreads(1, async (thread) => {
      const name = freshName();
      const shared = Bulkhead.shared(name, options);
      const message = `${name}: shared already, with ${difference}; leave the options out or give the same in every thread`;
      assert.throws(() => Bulkhead.shared(name, { ...options, ...change }), { name: 'RangeError', message });
      const error = thread.run(({ Bulkhead }, [name, given]) => void Bulkhead.shared(name, given), [name, { ...options, ...change }] as const);
      await assert.rejects(error, { name: 'RangeError', message });
      assert.equal(Bulkhead.shared(name), shared);
    }));
  }

  it('compares options by what they mean, and by those it was made with', () => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 2 });
    shared.resize(7);
    const written = { maxConcurrent: 2, maxQueue: 0, timeoutMs: 1000, callTimeoutMs: Infinity, abandonAfterMs: Infinity, stackTraces: false, trackPermits: false, detectReentrancy: false };
    assert.equal(Bulkhead.shared(name, written), shared);
    assert.throws(() => Bulkhead.shared(name, { maxConcurrent: 7 }), /maxConcurrent 2 \(not 7\)/);
    assert.equal(shared.stats().limit, 7);
  });

  it('has the options of the first also where they are left out', withThreads(1, async (thread) => {
    const name = freshName();
    Bulkhead.shared(name, { maxConcurrent: 1, stackTraces: true });
    const stack = await thread.run(({ Bulkhead }, name) => {
      const shared = Bulkhead.shared(name);
      shared.tryAcquire();
      return shared.acquire().then(() => 'none', (error: unknown) => String((error as Error).stack));
    }, name);
    assert.match(stack, /\n {4}at /);
  }));

  it('detects calls that wait for themselves, in whichever thread', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 1, maxQueue: 2, detectReentrancy: true });
    const nested = thread.run(({ Bulkhead }, name) => {
      const shared = Bulkhead.shared(name);
      return shared.exec(() => shared.exec(() => 'in').catch((error: unknown) => (error as { code: string }).code));
    }, name);
    assert.equal(await nested, 'reentrant');
    assert.equal(await outcome(shared.exec(() => shared.acquire())), 'reentrant');
    assert.equal(shared.stats().rejected.reentrant, 2);
  }));

  it('is shared by import and require', async () => {
    const { stdout } = await runScript(`
      import { createRequire } from 'node:module';
      import { Bulkhead } from 'bulkheads';
      console.log(createRequire(import.meta.url)('bulkheads').Bulkhead.shared('it', { maxConcurrent: 1 }) === Bulkhead.shared('it'));
    `);
    assert.equal(stdout, 'true');
  });

  it('is shared by copies of the package in one thread that load the same addon', async () => {
    const { stdout, stderr } = await runScript(`
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const one = require('bulkheads').Bulkhead.shared('it', { maxConcurrent: 1, maxQueue: 1 });
      delete require.cache[require.resolve('bulkheads')];
      const other = require('bulkheads').Bulkhead.shared('it');
      const permit = one.tryAcquire();
      other.exec(() => console.log(one === other, one.stats().active));
      permit.release();
    `);
    assert.deepEqual([stdout, stderr], ['false 1', '']);
  });
});

describe('without the native engine, Bulkhead.shared', () => {
  const script = (load: string) => `
    ${load}
    try {
      Bulkhead.shared('it', { maxConcurrent: 1 });
    } catch (error) {
      console.log(error.name + ': ' + error.message + ' / ' + error.cause?.message + ' / ' + error.cause?.cause?.message);
    }
  `;
  const needs = 'Error: Bulkhead.shared needs the native engine of Node, and ';

  it('says so where wasm was asked for', async () => {
    const { stdout } = await runScript(script("import { Bulkhead } from 'bulkheads';"), { env: { BULKHEADS_ENGINE: 'wasm' } });
    assert.equal(stdout, `${needs}BULKHEADS_ENGINE is wasm / undefined / undefined`);
  });

  const withoutAddon = `
    import { createRequire } from 'node:module';
    import Module from 'node:module';
    Module._extensions['.node'] = () => { throw new Error('no addon for this machine'); };
    const { Bulkhead } = createRequire(import.meta.url)('bulkheads');
  `;

  it('says what kept the addon from loading, and carries it', async () => {
    const why = /^bulkheads: the native engine could not be loaded: .*: no addon for this machine$/;
    const { stdout } = await runScript(script(withoutAddon), { env: { BULKHEADS_ENGINE: '' } });
    const [text, cause] = stdout.split(' / ');
    assert.equal(text, needs + String(cause));
    assert.match(String(cause), why);
    const forced = await runScript(script(withoutAddon), { env: { BULKHEADS_ENGINE: 'native' } });
    assert.match(forced.stdout.split(' / ')[0]?.replace('Error: ', '') ?? '', why);
  });

  it('says so in a browser', async () => {
    const { stdout } = await runScript(script("const { Bulkhead } = await import(new URL('dist/browser.mjs', `file://${process.cwd()}/`).href);"));
    assert.equal(stdout, `${needs}there is none here / undefined / undefined`);
  });

  it('says what is wrong with its arguments first', async () => {
    const { stdout } = await runScript(`
      const { Bulkhead } = await import(new URL('dist/browser.mjs', \`file://\${process.cwd()}/\`).href);
      for (const bad of [[1], ['it', { maxQueue: 1 }], ['it', { tries: 1 }]]) try { Bulkhead.shared(...bad); } catch (error) { console.log(error.name); }
    `);
    assert.equal(stdout, 'TypeError\nTypeError\nTypeError');
  });
});
