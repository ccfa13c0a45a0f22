// 1a to 1d: what a bulkhead adds to a call that has its permit at once.

import { contender } from '../candidates/index.mjs';
import { alternately, median } from '../harness.mjs';
import { once, oneAfterAnother } from '../loops.mjs';
import { compared } from '../row.mjs';

const one = async () => 1;
const reading = async ({ signal }) => (signal.aborted ? 0 : 1);

const OWN = 'const { signal } = new AbortController();';
const TEN = 'maxConcurrent: 10';
const BOUNDED = 'maxConcurrent: 10, callTimeoutMs: 60000';
const PLAIN = 'async () => 1, one after another';
const READING = 'async ({ signal }) => signal.aborted ? 0 : 1, one after another';

const CALLS = 100_000;

export const jobs = [
  job({
    id: '1a',
    // A few tens of nanoseconds beside as few: more rounds than elsewhere.
    rounds: 8,
    everyRuntime: true,
    use: 'exec',
    fn: one,
    title: 'uncontended exec(fn), default options',
    work: PLAIN,
    options: TEN,
  }),
  job({
    id: '1b',
    use: 'callTimeout',
    fn: one,
    title: 'uncontended, with a call time-out',
    work: PLAIN,
    options: BOUNDED,
    rivals: ['cockatiel', 'cockatiel, cooperative', 'p-limit'],
  }),
  job({
    id: '1c-shared',
    isLong: true,
    use: 'ownSignal',
    fn: one,
    title: "uncontended, with the caller's signal, one for all calls",
    work: PLAIN,
    options: TEN,
  }),
  job({
    id: '1c-fresh',
    isLong: true,
    use: 'ownSignal',
    fn: one,
    before: OWN,
    title: "uncontended, with the caller's signal, a fresh one each",
    work: `${PLAIN}, each after a new AbortController`,
    options: TEN,
  }),
  job({
    id: '1c-read',
    isLong: true,
    use: 'readSignal',
    fn: reading,
    title: 'uncontended, work that reads its signal',
    work: READING,
    options: TEN,
  }),
  job({
    id: '1c-bounded',
    use: 'readTimeout',
    fn: reading,
    title: 'uncontended, a call time-out and work that reads its signal',
    work: READING,
    options: BOUNDED,
  }),
  job({
    id: '1d-wrap',
    isLong: true,
    everyRuntime: true,
    use: 'wrap',
    fn: one,
    title: 'uncontended, a function wrapped once',
    work: PLAIN,
    options: TEN,
  }),
  job({
    id: '1d-permit',
    isLong: true,
    everyRuntime: true,
    use: 'permit',
    fn: one,
    title: 'uncontended, a permit taken by hand and given back',
    work: PLAIN,
    options: TEN,
  }),
];

function job({ use, fn, before, rounds = 4, isLong = false, everyRuntime = false, ...row }) {
  return { id: row.id, use, isLong, everyRuntime, rounds: ({ quick }) => (quick ? 1 : rounds), sample, assemble };

  /** The time beyond the bare call, which takes turns with it. */
  async function sample({ name, make, ...calls }, host) {
    const { signal } = new AbortController();
    const it = make({ fn });
    const answer = await once(calls)(it, fn, signal);
    if (answer !== 1) throw new Error(`${name} answers ${answer}`);
    const bare = await contender('bare', use);
    const bareIt = bare.make();
    const [bareLoop, loop] = [bare, calls].map((each) => oneAfterAnother(each, before));
    const pairs = await alternately(host, CALLS, [(count) => bareLoop(bareIt, fn, count, signal), (count) => loop(it, fn, count, signal)]);
    return { bare: median(pairs.map(([cost]) => cost)), cost: median(pairs.map(([bareCost, cost]) => cost - bareCost)) };
  }

  function assemble(measured) {
    return { rows: measured.map((each) => compared({ ...row, unit: 'ns per call', calls: CALLS, measure: 'overhead' }, each)) };
  }
}
