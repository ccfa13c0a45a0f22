// The engine as an addon of Node. In the built package the addons lie beside `dist`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CreateEngine } from '../engine.js';

/** Throws if there is no addon for this machine. */
export function nativeEngine(): CreateEngine {
  const file = join(__dirname, '..', 'native', `bulkheads.${process.platform}-${process.arch}.node`);
  const { createEngine } = createRequire(__filename)(file) as { createEngine: CreateEngine };
  return createEngine;
}
