// Loads the engines as they were built, behind the package's own class but without the rest of the
// package.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from '../../../js/node_modules/esbuild/lib/main.js';
import { platformHere } from '../../../js/scripts/platforms.mjs';

const root = new URL('../../../', import.meta.url);

export const ENGINES = ['wasm', 'native'];

const { Engine, throwFault } = await importTypeScript('js/src/engines/engine.ts');
export const tables = await importTypeScript('js/src/engines/tables.ts');
const { Input, MAILBOX_LENGTH } = tables;

/**
 * The factory of an engine: `(maxConcurrent, maxQueue?, timeout?, callTimeout?, abandonAfter?) =>
 * engine`.
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
  const wasm = await import(new URL('target/wasm/bulkheads_wasm.js', root));
  const { memory } = wasm.initSync({ module: readFileSync(new URL('target/wasm/bulkheads_wasm_bg.wasm', root)) });
  const raw = {
    ...wasm,
    finalizers: new FinalizationRegistry(wasm.drop),
    mailbox: () => new Float64Array(memory.buffer, wasm.mailbox(), MAILBOX_LENGTH),
  };
  const create = (...options) => {
    const handle = wasm.open(...options);
    if (handle === 0) throwFault(raw);
    return new TestEngine(raw, handle);
  };
  return { memory, raw, create };
}

export const addonPath = fileURLToPath(new URL(`js/native/bulkheads.${platformHere()}.node`, root));

/** The functions of the addon, as the package uses them. */
export function loadAddon() {
  const addon = createRequire(import.meta.url)(addonPath);
  return { addon, raw: { ...addon, finalizers: new FinalizationRegistry(addon.drop), mailbox: () => addon.mailbox, keepAlive: (handle, isKept) => addon.keepAlive(handle, Number(isKept)) } };
}

function loadNative() {
  const { addon, raw } = loadAddon();
  return (...options) => {
    const handle = addon.open(...options);
    if (handle === 0) throwFault(raw);
    return new TestEngine(raw, handle);
  };
}

/**
 * A further owner of the core of this name, which is made with these settings if there is none; in
 * the core's own time.
 */
export function openShared(name, wake, settings) {
  const { addon, raw } = loadAddon();
  const found = addon.openShared(name, wake, 0, settings && Float64Array.from(settings));
  return found && 'handle' in found ? Object.assign(new TestEngine(raw, found.handle), found) : found;
}

/** With the inputs that the package itself does not use, and the figures one by one. */
class TestEngine extends Engine {
  constructor(raw, handle) {
    super(raw, handle);
    this.show();
  }

  cancel(now, id) {
    return this.input(Input.cancel, now, id);
  }

  evict(now) {
    this.input(Input.evict, now);
  }

  dispose() {
    this.raw.drop(this.handle);
  }

  active = () => this.fresh().active;
  queued = () => this.fresh().queued;
  maxQueue = () => this.fresh().maxQueue;

  fresh() {
    this.show();
    return this.figures();
  }
}

/** One module of the package, as it is in its bundles. */
async function importTypeScript(path) {
  const entryPoints = [fileURLToPath(new URL(path, root))];
  const [{ text }] = buildSync({ entryPoints, bundle: true, platform: 'node', format: 'esm', target: 'es2022', write: false }).outputFiles;
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}
