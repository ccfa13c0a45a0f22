// Finds the addon and what it can do. In the built package the addons lie beside `dist`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CreateEngine, Settings, Sharing } from '../engine.js';
import { NativeEngine, type RawNativeEngine } from './native.js';
import { processNow, type RawSharedEngine, SharedNativeEngine } from './shared.js';

type Options = Parameters<CreateEngine>;

interface Addon {
  createEngine(...options: Options): RawNativeEngine;
  settings(...options: Options): Float64Array;
  /** Settings if there is a core with others, nothing if there is no core and none were given. */
  openShared(name: string, wake: () => void, now: number, settings?: Float64Array): RawSharedEngine | Settings | undefined;
}

/** Throws if there is no addon for this machine. */
export function nativeEngine(): { create: CreateEngine; sharing: () => Sharing } {
  const file = join(__dirname, '..', 'native', `bulkheads.${process.platform}-${process.arch}.node`);
  const addon = createRequire(__filename)(file) as Addon;
  // Some hosts that load the addon refuse the memory that it shares with them.
  addon.createEngine(1);
  const sharing = sharingOf(addon);
  return { create: (...options) => new NativeEngine(addon.createEngine(...options)), sharing: () => sharing };
}

function sharingOf(addon: Addon): Sharing {
  const wakes: (() => void)[] = [];
  return {
    settings: (options, flags) => [...addon.settings(...options), flags],
    open(name, wake, settings) {
      const found = addon.openShared(name, wake, processNow(), settings && Float64Array.from(settings));
      if (found === undefined) return undefined;
      if (!('exchange' in found)) return { differs: found };
      if (wakes.push(wake) === 1) wakeBeforeExit(wakes);
      return new SharedNativeEngine(found);
    },
  };
}

/** An event loop that nothing keeps alive does not look whether somebody has just woken it. */
function wakeBeforeExit(wakes: readonly (() => void)[]): void {
  process.on('beforeExit', () => {
    for (const wake of wakes) wake();
  });
}
