// What an uncontended call must cost at least, design by design:
// `node --expose-gc bench/js/designs.mjs`. No engine, no table, no queue: only the promise of the
// caller and the return of the permit. Nanoseconds per call beyond the bare call, and the share of
// cockatiel's.
//
// A promise that is derived from the work's (`then` with two functions that are the same for all
// calls) costs half of the others, but only the work can settle it. So it is what an ordinary call
// gets; a call with a bound or a signal of its own, which is answered by the bulkhead too, gets a
// promise of the second group.

import { bulkhead } from 'cockatiel';
import { timed } from './harness.mjs';
import { oneAfterAnother } from './loops.mjs';
import { nodeHost } from './node-host.mjs';

const ROUNDS = 30;
const CALLS = 50_000;
const work = async () => 1;
const host = nodeHost(false);

class Derived {
  active = 0;
  #done = (value) => {
    this.active -= 1;
    return value;
  };

  call(fn) {
    this.active += 1;
    return fn({}).then(this.#done, this.#done);
  }
}

class Constructed {
  active = 0;

  call(fn) {
    this.active += 1;
    const promise = fn({});
    return new Promise((resolve, reject) => {
      promise.then((value) => this.#end(resolve, value), (error) => this.#end(reject, error));
    });
  }

  #end(settle, value) {
    this.active -= 1;
    settle(value);
  }
}

/**
 * Objects that are used again, each with its two functions: fewer objects, but old ones that point
 * to young ones.
 */
class Pooled {
  active = 0;
  #free = [];

  call(fn) {
    this.active += 1;
    const slot = this.#free.pop() ?? this.#slot();
    const promise = fn({});
    const answer = new Promise(capture);
    slot.resolve = captured;
    promise.then(slot.done, slot.done);
    return answer;
  }

  #slot() {
    const slot = { resolve: undefined };
    slot.done = (value) => {
      this.active -= 1;
      const { resolve } = slot;
      this.#free.push(slot);
      resolve(value);
    };
    return slot;
  }
}

let captured;
const capture = (resolve) => {
  captured = resolve;
};

/**
 * The permit comes back in a reaction of its own, the same for all; the host's functions settle the
 * answer.
 */
class TwoReactions {
  active = 0;
  #done = () => {
    this.active -= 1;
  };

  call(fn) {
    this.active += 1;
    const promise = fn({});
    promise.then(this.#done, this.#done);
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject);
    });
  }
}

/** An async function waits for the work and settles the answer. */
class Awaiting {
  active = 0;

  call(fn) {
    this.active += 1;
    const promise = fn({});
    return new Promise((resolve, reject) => {
      void this.#settle(promise, resolve, reject);
    });
  }

  async #settle(promise, resolve, reject) {
    try {
      resolve(await promise);
    } catch (error) {
      reject(error);
    } finally {
      this.active -= 1;
    }
  }
}

/** Not a design: what the parts of the second group cost alone. */
class OnlyPromise {
  call(fn) {
    const promise = fn({});
    new Promise(capture);
    return promise;
  }
}

class OnlyReaction {
  #done = (value) => value;

  call(fn) {
    const promise = fn({});
    promise.then(this.#done, this.#done);
    return promise;
  }
}

const policy = bulkhead(10, 10);
const designs = {
  bare: { call: (fn) => fn({}) },
  cockatiel: { call: (fn) => policy.execute(fn) },
  'derived promise': new Derived(),
  'constructed promise': new Constructed(),
  'constructed promise, pooled': new Pooled(),
  'constructed promise, two reactions': new TwoReactions(),
  'constructed promise, async function': new Awaiting(),
  'a constructed promise alone': new OnlyPromise(),
  'a reaction alone': new OnlyReaction(),
};

const loops = Object.entries(designs).map(([name, it]) => ({ name, it, loop: oneAfterAnother({ call: 'it.call(fn)' }), best: Infinity }));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const each of loops) each.best = Math.min(each.best, await timed(host, CALLS, () => each.loop(each.it, work, CALLS)));
}
const [bare, cockatiel] = loops.map(({ best }) => best);
for (const { name, best } of loops) {
  console.log(`${name.padEnd(38)} ${(best - bare).toFixed(1).padStart(6)} ns  ${((best - bare) / (cockatiel - bare)).toFixed(2)}`);
}
