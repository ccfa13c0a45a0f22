// The benchmark inside a headless Chromium: `node bench/js/browser.mjs [--quick] [--rows 1a,2]
// [--rounds 9] [--out FILE]`. Prints a table; a full run of everything also writes
// bench/results/browser.json.

import { measureAll } from './measure.mjs';
import { chosen, keep, options } from './options.mjs';
import { openPages } from './pages.mjs';
import { jobs } from './rows/everywhere.mjs';
import { table } from './table.mjs';
import { judgedOn } from './targets.mjs';

const given = options();
const { quick, rounds } = given;

const pages = await openPages(quick);
try {
  const figures = await measureAll(chosen(jobs, given), {
    runtimes: [{ take: pages.take }],
    engines: ['wasm'],
    quick,
    rounds: rounds ?? (quick ? 1 : 2),
    judge: judgedOn('browser'),
    tell: (line) => process.stderr.write(`${line}\n`),
  });
  console.log(table(figures));
  keep('browser', [`Chromium ${pages.version()}`], figures, given);
} finally {
  await pages.close();
}
