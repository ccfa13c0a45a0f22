// Tries every host, one line each; words on the command line choose some of them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { openRegistry } from '../registry.mjs';
import { readGuide } from './guide.mjs';
import { HOSTS } from './hosts.mjs';
import { ROOT, sayings, start, untested } from './project.mjs';

const GUIDE = join(ROOT, 'docs/guides/bundlers.md');
const words = process.argv.slice(2);
const chosen = HOSTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

const packages = join(ROOT, 'target/packages');
if (!existsSync(packages)) throw new Error(`${packages} is missing; run make package-npm`);
const guide = readGuide(GUIDE);
const registry = await openRegistry(join(ROOT, 'target/npm'), packages);
start();
let failed = 0;
for (const host of chosen) {
  const before = performance.now();
  const said = await sayings(host, guide, registry.origin).catch((error) => error);
  const isRight = typeof host.says === 'string' ? host.says === said : typeof said === 'string' && host.says.test(said);
  const seconds = ((performance.now() - before) / 1000).toFixed(1);
  if (!isRight) failed += 1;
  console.log(isRight ? `ok     ${host.name} (${seconds} s)` : `FAILED ${host.name} (${seconds} s)\n  it should say ${host.says}\n  but said      ${said.message ?? said}`);
}
registry.close();
const forgotten = untested(guide, HOSTS);
if (forgotten.length > 0) console.log(`FAILED the guide has steps that no host follows: ${forgotten.join(', ')}`);
failed += forgotten.length;
console.log(`${chosen.length + forgotten.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;
