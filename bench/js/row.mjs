// A row of the table, from its samples.

import { median, summary } from './harness.mjs';

/**
 * Beside the best peer. `row` has what is known before: id, title, unit, measure, work, options;
 * `rivals` names whom the ratio is about, if not everybody. Whether its target is met is said by
 * who knows where it was measured (targets.mjs).
 */
export function compared({ rivals, ...row }, { engine, contenders, samples, missing }) {
  const measured = contenders.filter(({ name }) => samples.has(name));
  const figures = measured.map((each) => beside(each, samples.get(each.name)));
  const { ours, peers } = sorted(figures);
  const best = peers.find(({ name }) => rivals === undefined || rivals.includes(name));
  const bareCosts = [...samples.values()].flat().map(({ bare }) => bare);
  return {
    ...row,
    engine,
    rounds: samples.get('bulkheads').length,
    bare: bareCosts.includes(undefined) ? null : summary(bareCosts),
    ours,
    peers,
    best_peer: best?.name ?? null,
    ratio: best === undefined ? null : toThreeDigits(ours.median / best.median),
    missing,
  };
}

/**
 * Many beside few: the ratio is how many times as much many cost. Samples have `costs` by count.
 */
export function growing(row, { engine, contenders, samples, missing }, few, many) {
  const lost = [...missing];
  const figures = [];
  for (const each of contenders.filter(({ name }) => samples.has(name))) {
    const costs = samples.get(each.name).map((sample) => sample.costs);
    const whole = costs.filter(({ [many]: cost }) => cost !== undefined);
    if (whole.length === 0) {
      lost.push({ name: each.name, why: `too slow: ${Math.round(costs[0][few])} ${row.unit} for ${few}` });
      continue;
    }
    const growth = median(whole.map(({ [few]: less, [many]: more }) => more / less));
    const less = summary(whole.map(({ [few]: cost }) => cost)).median;
    const more = figure(each, whole.map(({ [many]: cost }) => cost));
    figures.push({ ...more, [`median_of_${few}`]: less, growth: toThreeDigits(growth) });
  }
  const { ours, peers } = sorted(figures);
  return {
    ...row,
    engine,
    calls: many,
    rounds: samples.get('bulkheads').length,
    bare: null,
    ours,
    peers,
    best_peer: null,
    ratio: ours.growth,
    missing: lost,
    note: `the ratio is that of ours with ${many.toLocaleString('en')} to ours with ${few.toLocaleString('en')}`,
  };
}

/** Whose target is a figure, which stands where others have their ratio. */
export function absolute(row) {
  return { ...row, ratio: row.ours.median, is_absolute: true, note: `the target is in ${row.unit}, not a ratio` };
}

function toThreeDigits(ratio) {
  return Number(ratio.toPrecision(3));
}

/** What a library is known to do less than ours, and what its sample has shown besides. */
function beside(contender, samples) {
  const note = [contender.note, samples[0].remark].filter(Boolean).join('; ');
  return figure({ ...contender, note }, samples.map(({ cost }) => cost));
}

function figure({ name, shown, note }, costs) {
  return { name, calls: shown, ...summary(costs), ...(note && { note }) };
}

function sorted(figures) {
  const { name: _, ...ours } = figures.find(({ name }) => name === 'bulkheads');
  const peers = figures.filter(({ name }) => name !== 'bulkheads').sort((a, b) => a.median - b.median);
  return { ours, peers };
}
