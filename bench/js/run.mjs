// The benchmark in Node: `node bench/js/run.mjs [--quick] [--rows 1a,2] [--engine native] [--node
// PATH]... [--rounds 9] [--out FILE]`. Prints a table; a full run of everything also writes
// bench/results/node.json.

import { inChildren } from './children.mjs';
import { measureAll } from './measure.mjs';
import { chosen, keep, options } from './options.mjs';
import { jobs } from './rows/index.mjs';
import { runtimes } from './runtimes.mjs';
import { table } from './table.mjs';
import { judgedOn } from './targets.mjs';

const given = options();
const { quick, engine, rounds } = given;
const nodes = runtimes(given.node);

const figures = await measureAll(chosen(jobs, given), {
  runtimes: nodes.map(({ path, version }) => ({ name: `Node ${version}`, take: inChildren(path, quick) })),
  engines: engine === undefined ? ['native', 'wasm'] : [engine],
  quick,
  rounds,
  judge: judgedOn('node'),
  tell: (line) => process.stderr.write(`${line}\n`),
});
console.log(table(figures));
keep('node', nodes.map(({ version }) => `Node ${version}`), figures, given);
