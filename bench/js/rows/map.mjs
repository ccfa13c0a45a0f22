// 4m: a list of items through few permits.

import { alternately, median } from '../harness.mjs';
import { once } from '../loops.mjs';
import { compared } from '../row.mjs';

const ITEMS = 10_000;

/** p-limit starts everything at once and lets it wait: it only stands beside. */
const RIVALS = ['p-map', 'effect'];

const ROW = {
  id: '4m',
  title: 'map of 10,000 items through 10 permits',
  unit: 'ns per item',
  measure: 'whole time',
  work: 'async (item) => item + 1',
  options: 'maxConcurrent: 10',
  calls: ITEMS,
  rivals: RIVALS,
};

export const jobs = [
  {
    id: ROW.id,
    use: 'map',
    everyRuntime: true,
    rivals: RIVALS,
    rounds: ({ quick }) => (quick ? 1 : 3),
    sample,
    assemble: (measured) => ({ rows: measured.map((each) => compared(ROW, each)) }),
  },
];

async function sample({ name, make, ...calls }, host) {
  const fn = async (item) => item + 1;
  const items = Array.from({ length: ITEMS }, (_, index) => index);
  const it = make({ fn });
  const loop = once(calls);
  const section = async (count) => {
    const results = await loop(it, fn, undefined, items.slice(0, count));
    if (results.at(-1) !== count) throw new Error(`${name} answers ${results.at(-1)}`);
  };
  const costs = await alternately(host, ITEMS, [section]);
  return { cost: median(costs.flat()) };
}
