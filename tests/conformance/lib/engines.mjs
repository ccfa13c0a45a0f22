// Loads the engines as they were built, without the package around them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);

export const ENGINES = ['wasm', 'native'];

/**
 * The factory of an engine: `(maxConcurrent, maxQueue?, timeout?, callTimeout?, abandonAfter?) => engine`.
 * @param {string} kind one of ENGINES
 */
export async function loadEngine(kind) {
  switch (kind) {
    case 'wasm':
      return (await loadWasm()).create;
    case 'native':
      return loadNative();
    default:
      throw new Error(`no such engine: ${kind}; one of ${ENGINES.join(', ')}`);
  }
}

export async function loadWasm() {
  const { initSync, Engine } = await import(new URL('target/wasm/bulkheads_wasm.js', root));
  const exports = initSync({ module: readFileSync(new URL('target/wasm/bulkheads_wasm_bg.wasm', root)) });
  return { Engine, memory: exports.memory, create: (...options) => new Engine(...options) };
}

export const addonPath = fileURLToPath(new URL(`js/native/bulkheads.${process.platform}-${process.arch}.node`, root));

function loadNative() {
  return createRequire(import.meta.url)(addonPath).createEngine;
}
