// Loads every engine that js/native holds and makes a bulkhead with it, without the facade: does it
// run on this machine at all?

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const native = fileURLToPath(new URL('../../js/native/', import.meta.url));
const require = createRequire(import.meta.url);
const engines = readdirSync(native).filter((name) => name.endsWith('.node'));
assert.ok(engines.length > 0, 'js/native holds no engine');
for (const name of engines) {
  require(native + name).createEngine(1);
  console.log(`${name}: loaded`);
}
