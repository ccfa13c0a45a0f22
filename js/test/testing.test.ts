import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from 'bulkheads/testing';
import { onClock } from './support.js';

describe('the virtual clock', () => {
  it('fires each timer at its own time, those of the same time in order, with all that follows', onClock(async (clock) => {
    const seen: [string, number][] = [];
    const say = (name: string): void => void seen.push([name, performance.now()]);
    setTimeout(say, 20, 'b');
    setTimeout(say, 10.5, 'a');
    setTimeout(() => { say('c'); setTimeout(say, 0, 'e'); void Promise.resolve().then(() => say('d')); }, 20);
    const cleared = setTimeout(say, 15, 'never');
    clearTimeout(cleared);
    assert.equal(clock.nextTimer, 10.5);
    await clock.advance(19);
    assert.equal(clock.now, 19);
    await clock.advanceTo(30);
    assert.deepEqual(seen, [['a', 10.5], ['b', 20], ['c', 20], ['d', 20], ['e', 20]]);
    assert.equal(clock.nextTimer, null);
  }));

  it('can be blocked: what is due then fires late', onClock(async (clock) => {
    const seen: number[] = [];
    setTimeout(() => seen.push(performance.now()), 5);
    clock.jump(9);
    assert.deepEqual(seen, []);
    await clock.settle();
    assert.deepEqual(seen, [9]);
    clock.jump(3);
    assert.equal(clock.now, 9, 'time does not go back');
  }));

  it('gives back what it has replaced', () => {
    const before = [performance.now, globalThis.setTimeout, globalThis.clearTimeout];
    const clock = new VirtualClock(7).install();
    assert.equal(performance.now(), 7);
    assert.throws(() => clock.install(), /installed already/);
    clock.uninstall();
    clock.uninstall();
    assert.deepEqual([performance.now, globalThis.setTimeout, globalThis.clearTimeout], before);
    assert.ok(!Object.hasOwn(performance, 'now'));
  });
});
