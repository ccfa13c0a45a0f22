// Bulkheads that all threads of the process have in common, by name: those that this thread has.

import type { Sharing } from './engines/loaded.js';
import type { Settings, SharedEngine } from './engines/shared.js';
import { OPTIONS } from './engines/tables.js';
import { host, type Join } from './host.js';
import { type Setup, TRAITS, type Traits, traitsOf } from './options.js';

interface Known {
  readonly bulkhead: object;
  readonly engine: SharedEngine;
  /** Options that were found to be the same: comparing costs more than a call. */
  agreed: Setup | undefined;
}

/** Until the thread ends: what waits for another thread's release is held by nothing else. */
// Shared in Node 4.4
const here = new Map<string, Known>();

/** The place of the facade's own options, one bit each. */
const FLAGS = OPTIONS.length;

export function share<Shared extends object>(name: string, setup: Setup | undefined, make: Join<Shared>): Shared {
  const sharing = host().engine().sharing();
  const known = here.get(name);
  // Shared in Node 2.4
  // Another thread may have reset it.
  if (known === undefined || !sharing.isCurrent(known.engine)) return join(sharing, name, setup, make);
  if (setup !== undefined && !isSame(known.agreed, setup)) {
    mustAgree(name, known.engine.settings, settingsOf(sharing, setup));
    known.agreed = setup;
  }
  // Each name is asked for with one `make`.
  return known.bulkhead as Shared;
}

/** The next to ask for this name, in whichever thread, makes a new one. */
export function resetShared(name: string): void {
  host().engine().sharing().reset(name);
  here.delete(name);
}

function join<Shared extends object>(sharing: Sharing, name: string, setup: Setup | undefined, make: Join<Shared>): Shared {
  const wanted = setup && settingsOf(sharing, setup);
  // What wakes it belongs to no caller's context.
  const engine = mustBe(name, host().outside(() => sharing.open(name, () => made.wake(), wanted)), wanted);
  const made = make(name, engine, traitsIn(engine.settings));
  here.set(name, { bulkhead: made.shared, engine, agreed: setup });
  return made.shared;
}

function mustBe(name: string, opened: ReturnType<Sharing['open']>, wanted: Settings | undefined): SharedEngine {
  if (opened === undefined) {
    // Shared in Node 2.1
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
  // Shared in Node 2.2
  return new RangeError(`${name}: shared already, with ${list}; leave the options out or give the same in every thread`);
}

function differences(has: Settings, wanted: Settings): string[] {
  const all = OPTIONS.map((option, place) => difference(option, has[place], wanted[place]));
  all.push(...TRAITS.map((name) => difference(name, traitsIn(has)[name], traitsIn(wanted)[name])));
  return all.filter((text) => text !== '');
}

function difference<Value>(option: string, has: Value, wanted: Value): string {
  return has === wanted ? '' : `${option} ${String(has)} (not ${String(wanted)})`;
}

function settingsOf(sharing: Sharing, { engine, traits }: Setup): Settings {
  // Shared in Node 2.3: as they are in effect, with the defaults filled in.
  return sharing.settings(engine, TRAITS.reduce((flags, name, place) => flags + (Number(traits[name]) << place), 0));
}

function traitsIn(settings: Settings): Traits {
  return traitsOf((name) => (((settings[FLAGS] ?? 0) >> TRAITS.indexOf(name)) & 1) === 1);
}

function isSame(one: Setup | undefined, other: Setup): boolean {
  if (one === undefined) return false;
  return TRAITS.every((name) => one.traits[name] === other.traits[name]) && other.engine.every((value, place) => value === one.engine[place]);
}
