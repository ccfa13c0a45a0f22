// Installs the packages into projects and tries every consumer, one line each; words on the command
// line choose some of them.

import { cpus } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { closeBrowsers } from './browsers.mjs';
import { CONSUMERS } from './consumers.mjs';
import { install, isPacked, root } from './install.mjs';
import { openRegistry } from './registry.mjs';
import { tryOut } from './try.mjs';

const words = process.argv.slice(2);
const named = CONSUMERS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const chosen = named.filter(({ only }) => only === undefined || isPacked(only));
const started = performance.now();

const registry = await openRegistry(join(root, 'target/npm'), join(root, 'target/packages'));
await install(registry.origin);
for (const { name, only } of named) if (only !== undefined && !isPacked(only)) console.log(`--     ${name}: not tried, no engine for ${only} was built here`);
const waiting = [...chosen];
let failed = 0;
await Promise.all(Array.from({ length: Math.max(2, cpus().length) }, work));
await closeBrowsers();
registry.close();
console.log(`in ${since(started)}`);
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;

async function work() {
  for (let consumer = waiting.shift(); consumer !== undefined; consumer = waiting.shift()) {
    const before = performance.now();
    try {
      const said = await tryOut(consumer, registry.origin);
      console.log(`ok     ${consumer.name} (${since(before)})${typeof consumer.says === 'number' ? `: ${said} of ${consumer.says}` : ''}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${consumer.name} (${since(before)})\n${error.message}`);
    }
  }
}

function since(point) {
  return `${((performance.now() - point) / 1000).toFixed(1)} s`;
}
