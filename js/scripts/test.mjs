// Runs the tests once with each engine, or with the one that BULKHEADS_ENGINE forces: `npm test`,
// or `npm test -- test/map.test.ts`.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const named = process.argv.slice(2);

const forced = process.env.BULKHEADS_ENGINE;

for (const engine of forced ? [forced] : ['native', 'wasm']) {
  console.log(`--- ${engine}`);
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', '--expose-gc', '--test', ...(named.length > 0 ? named : all())], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, BULKHEADS_ENGINE: engine },
  });
  if (status !== 0) process.exitCode = 1;
}

function all() {
  const names = readdirSync(join(root, 'test')).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => join('test', name));
}
