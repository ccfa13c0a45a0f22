// Loads the engines as they were built, behind the package's own adaptor but without the rest of the package.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from '../../../js/node_modules/esbuild/lib/main.js';
import { platformHere } from '../../../js/scripts/platforms.mjs';

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
  const { memory } = initSync({ module: readFileSync(new URL('target/wasm/bulkheads_wasm_bg.wasm', root)) });
  return { memory, create: (...options) => new TestWasmEngine(new Engine(...options), memory) };
}

export const addonPath = fileURLToPath(new URL(`js/native/bulkheads.${platformHere()}.node`, root));

function loadNative() {
  const { createEngine } = createRequire(import.meta.url)(addonPath);
  return (...options) => new TestNativeEngine(createEngine(...options));
}

const { NativeEngine } = await importTypeScript('js/src/engines/native.ts');
const { DirectEngine } = await importTypeScript('js/src/engines/direct.ts');

class TestWasmEngine extends readable(DirectEngine) {
  free = () => this.raw.free();
}

class TestNativeEngine extends readable(NativeEngine) {}

/** A further owner of the core of this name, which is made with these settings if there is none; in the core's own time. */
export function openShared(name, wake, settings) {
  const found = createRequire(import.meta.url)(addonPath).openShared(name, wake, 0, settings && Float64Array.from(settings));
  return found && 'exchange' in found ? new TestNativeEngine(found) : found;
}

/** With the figures one by one. */
function readable(Base) {
  return class extends Base {
    limit = () => this.figures().limit;
    active = () => this.figures().active;
    queued = () => this.figures().queued;
    maxQueue = () => this.figures().maxQueue;
  };
}

/** One module of the package, as it is in its bundles. */
async function importTypeScript(path) {
  const entryPoints = [fileURLToPath(new URL(path, root))];
  const [{ text }] = buildSync({ entryPoints, bundle: true, platform: 'node', format: 'esm', target: 'es2022', write: false }).outputFiles;
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}
