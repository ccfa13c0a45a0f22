// The benchmark in Node: `node bench/js/run.mjs [--quick] [--rows 1a,2] [--engine native] [--rounds 9] [--out FILE]`. Prints a
// table; a full run of everything also writes bench/results/node.json.

import { inChildren } from './children.mjs';
import { measureAll } from './measure.mjs';
import { chosen, keep, options } from './options.mjs';
import { jobs } from './rows/index.mjs';
import { table } from './table.mjs';

const given = options();
const { quick, engine, rounds } = given;

const figures = await measureAll(chosen(jobs, given), {
  take: inChildren(quick),
  engines: engine === undefined ? ['native', 'wasm'] : [engine],
  quick,
  rounds,
  tell: (line) => process.stderr.write(`${line}\n`),
});
console.log(table(figures));
keep('node', `Node ${process.version}`, figures, given);
