// What the rows are to reach. bench/targets.json has the targets of every language, by surface and
// row: the most that the ratio may be, or the figure itself where a row has no peer to be compared
// with.

import { readFileSync } from 'node:fs';

const TARGETS = JSON.parse(readFileSync(new URL('../targets.json', import.meta.url), 'utf8'));

/** Gives a row its target on this surface, if it has one, and says whether that is met. */
export function judgedOn(surface) {
  const targets = TARGETS[surface];
  return ({ isTooSmall = false, note = '', ...row }) => {
    const target = (isTooSmall ? undefined : targets[row.id]) ?? null;
    return { ...row, target, met: target === null || row.ratio === null ? null : row.ratio <= target, note };
  };
}
