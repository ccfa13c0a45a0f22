// The figures for people who look at a terminal.

export function table({ rows, curves }) {
  return [...rows.map(rowLines), ...curves.map(curveLines)].map((lines) => lines.join('\n')).join('\n\n');
}

function rowLines({ id, runtime, engine, title, unit, work, options, measure, bare, ours, peers, missing, note, ...judgement }) {
  const { ratio, target, met, best_peer: best, is_absolute: isAbsolute } = judgement;
  const verdict = target === null ? 'reported' : `target ${target}: ${met ? 'met' : 'MISSED'}`;
  const against = isAbsolute ? ` ${unit}` : best === null ? '' : ` of ${best}`;
  return [
    `${id} ${runtime ? `${runtime}, ` : ''}${engine}  ${title}${ratio === null ? '' : `: ${ratio}${against} (${verdict})`}`,
    `   ${unit}, ${measure}; ${work}; ${options}`,
    ...(bare === null ? [] : [line('bare', bare)]),
    line('bulkheads', ours),
    ...peers.map((peer) => line(peer.name, peer)),
    ...(missing ?? []).map(({ name, why }) => `   ${name.padEnd(24)} – ${why}`),
    ...(note ? [`   ${note}`] : []),
  ];
}

function line(name, { median, min, max, growth, collecting, note }) {
  const spread = `${show(min)} – ${show(max)}`;
  const more = [
    growth === undefined ? '' : `× ${growth}`,
    collecting === undefined ? '' : `collecting garbage ${show(collecting.median)}`,
    note ?? '',
  ].filter(Boolean).join('; ');
  return `   ${name.padEnd(24)} ${show(median).padStart(10)}   ${spread.padEnd(24)} ${more}`.trimEnd();
}

function curveLines({ title, unit, x, series }) {
  return [
    `${title} (${unit})`,
    `   ${''.padEnd(24)}${x.map((size) => size.toLocaleString('en').padStart(11)).join('')}`,
    ...series.map(({ name, y }) => `   ${name.padEnd(24)}${y.map((value) => point(value).padStart(11)).join('')}`),
  ];
}

function point(value) {
  return value === null ? '–' : show(value);
}

function show(value) {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
