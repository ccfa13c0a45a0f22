// A row of the table, from its samples.

import { summary } from './harness.mjs';

/**
 * `row` has what is known before: id, title, unit, measure, work, options, target. `rivals` names whom the target is about, if not
 * everybody.
 */
export function compared({ rivals, ...row }, { engine, contenders, samples, missing }) {
  const figure = ({ name, shown, note }) => ({
    name,
    calls: shown,
    ...summary(samples.get(name).map(({ cost }) => cost)),
    ...(note && { note }),
  });
  const peers = contenders.filter(({ name }) => name !== 'bulkheads' && samples.has(name)).map(figure);
  peers.sort((a, b) => a.median - b.median);
  const { name: _, ...ours } = figure(contenders.find(({ name }) => name === 'bulkheads'));
  const bareCosts = [...samples.values()].flat().map(({ bare }) => bare);
  return judged({
    ...row,
    engine,
    rounds: samples.get('bulkheads').length,
    bare: bareCosts.includes(undefined) ? null : summary(bareCosts),
    ours,
    peers,
    best_peer: peers.find(({ name }) => rivals === undefined || rivals.includes(name))?.name ?? null,
    missing,
  });
}

/** Against the best peer, unless the row brings a ratio of its own. */
export function judged({ target, note = '', ...row }) {
  const best = row.peers.find(({ name }) => name === row.best_peer);
  const ratio = row.ratio ?? (best === undefined ? null : row.ours.median / best.median);
  const rounded = ratio === null ? null : Number(ratio.toPrecision(3));
  return { ...row, ratio: rounded, target, met: target === null || rounded === null ? null : rounded <= target, note };
}
