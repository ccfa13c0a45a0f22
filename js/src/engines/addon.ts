// Finds the addon and what it can do.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isAllowed } from './deno.js';
import { type CreateEngine, Engine, type EngineOptions, finalizersOf, type RawHost, throwFault } from './engine.js';
import type { Sharing } from './loaded.js';
import { addonsFor, finders, isBundled, thisFile } from './place.js';
import { packageFor, platformHere } from './platform.js';
import { type Published, requirePublished } from './published.js';
import { type Opened, processNow, type Settings, SharedEngine } from './shared.js';
import { MAILBOX_LENGTH, Place, VERSION as MAILBOX_VERSION } from './tables.js';

/** Of this package; the build puts it in. */
declare const VERSION: string;

interface Addon extends Omit<RawHost, 'mailbox' | 'keepAlive' | 'finalizers'> {
  readonly mailbox: Float64Array;
  readonly drop: (handle: number) => void;
  open(...options: EngineOptions): number;
  settings(...options: EngineOptions): Float64Array | undefined;
  /**
   * Settings if there is a core with others, `undefined` if there is no core and none were given.
   */
  openShared(name: string, wake: () => void, now: number, settings?: Float64Array): Opened | Settings | undefined;
  isCurrent(handle: number): number;
  resetShared(name: string): void;
  keepAlive(handle: number, isKept: number): void;
}

/**
 * Throws if there is no addon for this machine: an `AggregateError` with a reason for each place
 * where one was sought.
 */
export function nativeEngine(): { create: CreateEngine; sharing: () => Sharing } {
  const addon = firstThatLoads(candidates());
  const raw = rawHost(addon);
  const sharing = sharingOf(addon, raw);
  const create: CreateEngine = (...options) => {
    const handle = addon.open(...options);
    if (handle === 0) throwFault(raw);
    return new Engine(raw, handle);
  };
  return { create, sharing: () => sharing };
}

/** A place where an addon may be: what it is called, and how it is loaded from there. */
type Candidate = readonly [name: string, load: () => Addon];

function candidates(): Candidate[] {
  if (!isAllowed('ffi') || !isAllowed('read')) return [['Deno', forbidden]];
  const platform = platformHere();
  const published = packageFor(platform);
  const file = thisFile();
  const built = join('native', `bulkheads.${platform}.node`);
  const path = join(file, '../..', built);
  return [
    published === undefined ? [platform, none] : [published, () => fromPackage(published, platform, file)],
    // What `make build` leaves there; the published package has no such folder.
    ...(existsSync(path) ? [[built, () => finders(file)[0]?.(path) as Addon] satisfies Candidate] : []),
  ];
}

function forbidden(): never {
  throw new Error('it may not load addons; allow it with --allow-ffi --allow-read');
}

function none(): never {
  throw new Error('no engine is published for this platform');
}

/**
 * The package as it stands in the program, then as it lies on the disk: a bundle may hold its code
 * without its addon.
 */
function fromPackage(name: string, platform: string, file: string): Addon {
  const found = finders(file);
  const places = [
    () => requirePublished(platform),
    ...found.map((find) => () => find(name) as Published),
    ...(isBundled(file) ? addonsFor(file, name) : []).map((path) => () => ({ version: VERSION, load: () => found[0]?.(path) as unknown })),
  ];
  let failure: unknown = undefined;
  for (const place of places) {
    try {
      const published = place();
      if (published !== undefined) return addonOf(published);
    } catch (cause) {
      if (failure === undefined || !isMissing(cause)) failure = cause;
    }
  }
  if (isBundled(file)) throw notFromBundle(file, name, failure);
  if (!isMissing(failure)) throw failure;
  throw new Error('not installed (optional dependencies left out, or a lock file from another platform?)', { cause: failure });
}

function addonOf({ version, load }: Published): Addon {
  // They speak by the places of numbers in an array: another version may mean something else by
  // them.
  if (version !== VERSION) throw new Error(`it is version ${version}, and bulkheads is ${VERSION}`);
  return load() as Addon;
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'MODULE_NOT_FOUND';
}

/** Not `instanceof`: what loads addons throws errors of the realm that the process began with. */
function messageOf(error: unknown): string {
  return (error as { message?: string }).message ?? String(error);
}

function notFromBundle(file: string, name: string, cause: unknown): Error {
  const [reason] = messageOf(cause).split('\n');
  const text = `not found from the bundle ${file} (${reason}): copy node_modules/${name}/bulkheads.node beside it, or leave bulkheads out of the bundle (esbuild: --external:bulkheads; Next.js: serverExternalPackages: ['bulkheads']); see the guide "Bundlers"`;
  return new Error(text, { cause });
}

function firstThatLoads(places: Candidate[]): Addon {
  const reasons: Error[] = [];
  for (const [name, load] of places) {
    try {
      const addon = load();
      const { length, [Place.version]: version } = addon.mailbox;
      if (length !== MAILBOX_LENGTH || version !== MAILBOX_VERSION) throw new Error(`its mailbox has version ${version}, not ${MAILBOX_VERSION}`);
      return addon;
    } catch (cause) {
      reasons.push(new Error(`${name}: ${messageOf(cause)}`, { cause }));
    }
  }
  throw new AggregateError(reasons, reasons.map(({ message }) => message).join('; '));
}

function rawHost(addon: Addon): RawHost {
  const { mailbox } = addon;
  return {
    mailbox: () => mailbox,
    exchange: addon.exchange,
    exchangeHolding: addon.exchangeHolding,
    abort: addon.abort,
    stats: addon.stats,
    fault: addon.fault,
    finalizers: finalizersOf(addon.drop),
    keepAlive: (handle, isKept) => addon.keepAlive(handle, Number(isKept)),
  };
}

function sharingOf(addon: Addon, raw: RawHost): Sharing {
  const wakes: (() => void)[] = [];
  return {
    settings(options, flags) {
      const settings = addon.settings(...options);
      if (settings === undefined) throwFault(raw);
      return [...(settings ?? []), flags];
    },
    open(name, wake, settings) {
      const found = addon.openShared(name, wake, processNow(), settings && Float64Array.from(settings));
      if (found === undefined) return undefined;
      if (!('handle' in found)) return { differs: found };
      if (wakes.push(wake) === 1) wakeBeforeExit(wakes);
      return new SharedEngine(raw, found);
    },
    isCurrent: ({ handle }) => addon.isCurrent(handle) === 1,
    reset: (name) => addon.resetShared(name),
  };
}

/**
 * An event loop that nothing keeps alive does not look whether another thread has just woken it.
 */
function wakeBeforeExit(wakes: readonly (() => void)[]): void {
  process.on('beforeExit', () => {
    for (const wake of wakes) wake();
  });
}
