// The benchmark in Node: `node bench/js/run.mjs [--quick] [--rows 1a,2] [--engine native] [--rounds 9]`. Prints a table; a
// full run of everything also writes bench/results/node.json, or whatever --out names.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inChildren } from './children.mjs';
import { machineKind, versions } from './machine.mjs';
import { measureAll } from './measure.mjs';
import { jobs } from './rows/index.mjs';
import { table } from './table.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rows: { type: 'string' },
    engine: { type: 'string' },
    rounds: { type: 'string' },
    out: { type: 'string' },
  },
});

const wanted = options.rows?.split(',') ?? [''];
const chosen = jobs.filter(({ id }) => wanted.some((prefix) => id.startsWith(prefix)));
if (chosen.length === 0) throw new Error(`no such row; there are ${jobs.map(({ id }) => id).join(', ')}`);

const figures = await measureAll(chosen, {
  take: inChildren(options.quick),
  engines: options.engine === undefined ? ['native', 'wasm'] : [options.engine],
  quick: options.quick,
  rounds: options.rounds === undefined ? undefined : Number(options.rounds),
  tell: (line) => process.stderr.write(`${line}\n`),
});
console.log(table(figures));

const isWhole = !options.quick && options.rows === undefined && options.engine === undefined;
const out = options.out ?? (isWhole ? fileURLToPath(new URL('../results/node.json', import.meta.url)) : undefined);
if (out !== undefined) {
  mkdirSync(dirname(out), { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const machine = { kind: machineKind(), runtime: `Node ${process.version}` };
  writeFileSync(out, `${JSON.stringify({ surface: 'node', date, machine, peers: versions(), ...figures }, null, 2)}\n`);
}
