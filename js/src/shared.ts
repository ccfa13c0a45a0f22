// Bulkheads that all threads of the process have in common, by name: those that this thread has.

import type { Bulkhead } from './bulkhead.js';
import { Driver } from './driver.js';
import type { Settings } from './engine.js';
import { host } from './host.js';
import type { Setup } from './options.js';

interface Shared {
  readonly bulkhead: Bulkhead;
  readonly settings: Settings;
}

/** Until the thread ends: what waits for another thread's release is held by nothing else. */
const here = new Map<string, Shared>();

/** The names of the settings in their order. */
const NAMES = ['maxConcurrent', 'maxQueue', 'timeoutMs', 'callTimeoutMs', 'abandonAfterMs'];
/** The place of the facade's own options, and those, one bit each. */
const FLAGS = NAMES.length;
const STACK_TRACES = 1;

export function share(name: string, setup: Setup | undefined, make: (driver: Driver) => Bulkhead): Bulkhead {
  const sharing = host().engine().sharing();
  const wanted = setup && sharing.settings(setup.engine, setup.stackTraces ? STACK_TRACES : 0);
  const known = here.get(name);
  if (known !== undefined) {
    if (wanted !== undefined) mustAgree(name, known.settings, wanted);
    return known.bulkhead;
  }
  // What wakes it belongs to no caller's context.
  const opened = host().outside(() => sharing.open(name, () => driver.wake(), wanted));
  if (opened === undefined) {
    throw new TypeError(`${name}: nobody shares a bulkhead of this name yet, and the first call of Bulkhead.shared must give its options`);
  }
  if ('differs' in opened) throw different(name, opened.differs, wanted ?? []);
  const driver = new Driver(name, opened, flagsOf(opened.settings) === STACK_TRACES);
  const shared = { bulkhead: make(driver), settings: opened.settings };
  here.set(name, shared);
  return shared.bulkhead;
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
  all.push(difference('stackTraces', flagsOf(has) === STACK_TRACES, flagsOf(wanted) === STACK_TRACES));
  return all.filter((text) => text !== '');
}

function difference<Value>(option: string, has: Value, wanted: Value): string {
  return has === wanted ? '' : `${option} ${String(has)} (not ${String(wanted)})`;
}

function flagsOf(settings: Settings): number {
  return settings[FLAGS] ?? 0;
}
