// map: a list of items through few permits.

import { alternately, median } from '../harness.mjs';
import { once } from '../loops.mjs';
import { compared } from '../row.mjs';

const ITEMS = 10_000;

const ROW = {
  id: 'map',
  title: 'map of 10,000 items through 10 permits',
  unit: 'ns per item',
  measure: 'whole time',
  work: 'async (item) => item + 1',
  options: 'maxConcurrent: 10',
  calls: ITEMS,
  target: null,
};

export const jobs = [
  {
    id: 'map',
    use: 'map',
    isLong: true,
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
