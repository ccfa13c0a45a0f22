import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScript } from './support.js';

/**
 * The unhandled rejections of a script with a bulkhead of one permit, taken, and a queue of three.
 */
async function unhandled(script: string): Promise<unknown> {
  const { stdout, stderr } = await runScript(`
    import { Bulkhead } from 'bulkheads';
    const reported = [];
    process.on('unhandledRejection', (reason) => reported.push(String(reason?.code ?? reason?.message ?? reason)));
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 3, timeoutMs: 60_000, callTimeoutMs: 20 });
    const broken = new Error('broken');
    const turn = () => new Promise((resolve) => setTimeout(resolve, 40));
    ${script}
    await turn();
    console.log(JSON.stringify(reported));
  `);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

describe('an error that nobody handles', () => {
  const alone = {
    'a rejected promise': 'shipping.exec(() => Promise.reject(broken));',
    'a throw': 'shipping.exec(() => { throw broken; });',
    'a thenable that fails': 'shipping.exec(() => ({ then: (_, fail) => fail(broken) }));',
    'from the queue': 'const hold = shipping.tryAcquire(); shipping.exec(() => Promise.reject(broken)); hold.release();',
  };
  for (const [what, script] of Object.entries(alone)) {
    it(`is reported once: ${what}`, async () => {
      assert.deepEqual(await unhandled(script), ['broken']);
    });
  }

  it('is that of the answer when the work fails after it', async () => {
    assert.deepEqual(await unhandled('shipping.exec(() => new Promise((_, fail) => setTimeout(fail, 30, broken)));'), ['call_timeout']);
  });
});

it('no internal promise is ever unhandled when the callers handle theirs', async () => {
  const reported = await unhandled(`
    const handled = [];
    const hold = shipping.tryAcquire();
    const leaving = new AbortController();
    handled.push(
      shipping.exec(() => Promise.reject(broken)),
      shipping.exec(() => 1, { signal: leaving.signal }),
      shipping.acquire({ signal: leaving.signal }),
      shipping.exec(() => 1),
      shipping.exec(() => 1, { weight: 2 }),
      shipping.exec(() => 1, { weight: 0 }),
      shipping.acquire({ timeoutMs: 0 }),
      shipping.map([1, 2], () => Promise.reject(broken)),
      shipping.map([1, 2], () => Promise.reject(broken), { stopOnError: false }),
    );
    const all = Promise.allSettled(handled);
    leaving.abort();
    hold.release();
    await all;
    const running = Promise.allSettled([shipping.exec(({ signal }) => new Promise((_, fail) => { signal.onabort = () => fail(broken); }))]);
    await shipping.close({ abort: true });
    await running;
  `);
  assert.deepEqual(reported, []);
});
