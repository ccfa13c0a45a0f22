// Bulkheads that all threads of the process have in common, by name: those that this thread has.

import type { Bulkhead } from './bulkhead.js';
import { Driver } from './driver.js';
import type { Settings, SharedEngine, Sharing } from './engine.js';
import { host } from './host.js';
import { type Setup, TRAITS, type Traits, traitsOf } from './options.js';

interface Shared {
  readonly bulkhead: Bulkhead;
  readonly settings: Settings;
  /** Options that were found to be the same: comparing costs more than a call. */
  agreed: Setup | undefined;
}

/** Until the thread ends: what waits for another thread's release is held by nothing else. */
const here = new Map<string, Shared>();

/** The names of the settings in their order. */
const NAMES = ['maxConcurrent', 'maxQueue', 'timeoutMs', 'callTimeoutMs', 'abandonAfterMs'];
/** The place of the facade's own options, one bit each. */
const FLAGS = NAMES.length;

export function share(name: string, setup: Setup | undefined, make: (driver: Driver) => Bulkhead): Bulkhead {
  const sharing = host().engine().sharing();
  const known = here.get(name);
  if (known === undefined) return join(sharing, name, setup, make);
  if (setup !== undefined && !isSame(known.agreed, setup)) {
    mustAgree(name, known.settings, settingsOf(sharing, setup));
    known.agreed = setup;
  }
  return known.bulkhead;
}

function join(sharing: Sharing, name: string, setup: Setup | undefined, make: (driver: Driver) => Bulkhead): Bulkhead {
  const wanted = setup && settingsOf(sharing, setup);
  // What wakes it belongs to no caller's context.
  const engine = mustBe(name, host().outside(() => sharing.open(name, () => driver.wake(), wanted)), wanted);
  const driver = new Driver(name, engine, traitsIn(engine.settings));
  const bulkhead = make(driver);
  here.set(name, { bulkhead, settings: engine.settings, agreed: setup });
  return bulkhead;
}

function mustBe(name: string, opened: ReturnType<Sharing['open']>, wanted: Settings | undefined): SharedEngine {
  if (opened === undefined) {
    throw new TypeError(`${name}: nobody shares a bulkhead of this name yet, and the first call of Bulkhead.shared must give its options`);
  }
  if ('differs' in opened) throw different(name, opened.differs, wanted ?? []);
  return opened;
}

function mustAgree(name: string, has: Settings, wanted: Settings): void {
  if (differences(has, wanted).length > 0) throw different(name, has, wanted);
}

function different(name: string, has: Settings, wanted: Settings): RangeError {
  const list = differences(has, wanted).join(', ');
  return new RangeError(`${name}: shared already, with ${list}; leave the options out or give the same in every thread`);
}

function differences(has: Settings, wanted: Settings): string[] {
  const all = NAMES.map((option, place) => difference(option, has[place], wanted[place]));
  all.push(...TRAITS.map((name) => difference(name, traitsIn(has)[name], traitsIn(wanted)[name])));
  return all.filter((text) => text !== '');
}

function difference<Value>(option: string, has: Value, wanted: Value): string {
  return has === wanted ? '' : `${option} ${String(has)} (not ${String(wanted)})`;
}

function settingsOf(sharing: Sharing, { engine, traits }: Setup): Settings {
  return sharing.settings(engine, TRAITS.reduce((flags, name, place) => flags + (Number(traits[name]) << place), 0));
}

function traitsIn(settings: Settings): Traits {
  return traitsOf((name) => (((settings[FLAGS] ?? 0) >> TRAITS.indexOf(name)) & 1) === 1);
}

function isSame(one: Setup | undefined, other: Setup): boolean {
  if (one === undefined) return false;
  return TRAITS.every((name) => one.traits[name] === other.traits[name]) && other.engine.every((value, place) => value === one.engine[place]);
}
