// A cost against the length of the queue.

import { median, round } from './harness.mjs';

const LENGTHS = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Milliseconds: how long one point may take; and how long it takes to be as fast as it gets. */
const LONGEST = 3_000;
const LONGEST_OF_OURS = 30_000;
const WARM_UP = 200;

/** `act(use, host, length)` answers milliseconds for a queue of that length. */
export function curve({ id, use, title, unit, act }) {
  return { id, use, isLong: true, rounds: () => 1, sample: points, assemble };

  function points(candidate, host) {
    return sample(candidate, host, (length) => act(candidate, host, length));
  }

  function assemble(measured) {
    const [{ contenders, samples: any }] = measured;
    const ours = measured.map(({ engine, samples }) => ({ name: `bulkheads ${engine}`, y: samples.get('bulkheads')[0].y }));
    const peers = contenders.filter(({ name }) => name !== 'bulkheads' && any.has(name));
    const theirs = peers.map(({ name }) => ({ name, y: any.get(name)[0].y }));
    const known = Math.max(...ours.map(({ y }) => y.filter((value) => value !== null).length));
    const series = [...ours, ...theirs].map(({ name, y }) => ({ name, y: y.slice(0, known) }));
    return { curves: [{ id, title, unit, x: LENGTHS.slice(0, known), series }] };
  }
}

/** Nanoseconds per waiter at each length, as far as one can wait for it. */
async function sample({ name }, host, act) {
  await warmUp(act);
  const y = [];
  for (const length of LENGTHS.slice(0, host.quick ? 4 : host.lengths)) {
    y.push(isTooSlow(name, y, length) ? null : round((1e6 * (await repeated(host, length, act))) / length));
  }
  return { y };
}

async function warmUp(act) {
  let spent = 0;
  for (const length of [10, 100, 1_000, 1_000, 1_000]) if (spent < WARM_UP) spent += await act(length);
}

/** We do without a point only where nobody would wait for it. */
function isTooSlow(name, y, length) {
  if (y.at(-1) === null) return true;
  return name === 'bulkheads' ? ((y.at(-1) ?? 0) * length) / 1e6 > LONGEST_OF_OURS : expected(y, length) > LONGEST;
}

/**
 * Milliseconds at this length, if the cost goes on growing as it did last; short queues grow by
 * accidents of the garbage collector.
 */
function expected(y, length) {
  const [last = 0, before = last] = y.slice(-2).reverse();
  const growth = length > 100_000 ? Math.max(1, last / before) : 3;
  return (last * growth * length) / 1e6;
}

async function repeated(host, length, act) {
  const enough = host.quick ? 5 : 30;
  const turns = [];
  for (let spent = 0; turns.length === 0 || (spent < enough && turns.length < 50); spent += turns.at(-1)) turns.push(await act(length));
  return median(turns);
}
