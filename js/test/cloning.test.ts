import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { Bulkhead } from 'bulkheads';

describe('a bulkhead is no value that could be sent', () => {
  const refusal = { name: 'DataCloneError', message: /a bulkhead lives in one thread; take Bulkhead\.shared\(name\) there/ };

  it('structuredClone says what to do instead', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    assert.throws(() => structuredClone(shipping), refusal);
    assert.throws(() => structuredClone({ clients: [shipping] }), refusal);
  });

  it('postMessage does too', () => {
    const { port1 } = new MessageChannel();
    assert.throws(() => port1.postMessage(new Bulkhead('shipping', { maxConcurrent: 1 })), refusal);
    port1.close();
  });

  it('nothing else trips over it', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    assert.deepEqual(Object.values(shipping).map((value) => typeof value), ['symbol']);
    assert.equal(inspect(shipping, { breakLength: Infinity }), "Bulkhead { name: 'shipping', state: 'open', limit: 1, active: 0, queued: 0 }");
    assert.equal(Bulkhead.name, 'Bulkhead');
  });
});
