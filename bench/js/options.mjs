// What both benchmarks take from their command line, and what they leave.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineKind, versions } from './machine.mjs';

export function options() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      engine: { type: 'string' },
      node: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      out: { type: 'string' },
    },
  });
  return { ...values, rounds: values.rounds === undefined ? undefined : Number(values.rounds) };
}

/** Those whose ids begin as `rows` says; without it all, but in a quick run not the long ones. */
export function chosen(jobs, { rows, quick }) {
  const wanted = rows?.split(',');
  const some = jobs.filter(({ id, isLong }) => wanted?.some((prefix) => id.startsWith(prefix)) ?? !(quick && isLong));
  if (some.length === 0) throw new Error(`no such row; there are ${jobs.map(({ id }) => id).join(', ')}`);
  return some;
}

/** A full run of everything is kept beside the others; another only where `out` says. */
export function keep(surface, [runtime, ...others], figures, { quick, rows, engine, node, out }) {
  const isWhole = !quick && rows === undefined && engine === undefined && node === undefined;
  const path = out ?? (isWhole ? fileURLToPath(new URL(`../results/${surface}.json`, import.meta.url)) : undefined);
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const curves = figures.curves.map((curve) => plotted(surface, runtime, curve));
  const machine = { kind: machineKind(), runtime, ...(others.length > 0 && { others }) };
  const results = { surface, date, machine, peers: versions(), rows: figures.rows, curves };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

/** Every surface's plots lie in one folder. */
function plotted(surface, runtime, { id, title, ...rest }) {
  return { id: id.replace('curve', surface), title: `${runtime.split(' ')[0]}: ${title}`, ...rest };
}
