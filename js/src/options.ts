// Types and names of options are checked here, ranges in the core.

import type { CreateEngine, Engine, EngineOptions } from './engines/engine.js';
import { Flag, OPTIONS } from './engines/tables.js';
import { now } from './now.js';

export interface BulkheadOptions {
  /** The permits: how many calls of weight 1 may run at a time. An integer from 1. */
  readonly maxConcurrent: number;
  /** How many calls may wait; 0, the default, fails fast. */
  readonly maxQueue?: number | undefined;
  /** The longest a call may wait; 1000 by default, or `callTimeoutMs` if that is less. `Infinity` is no bound. */
  readonly timeoutMs?: number | undefined;
  /** The longest the work may run, from the grant; no bound by default. */
  readonly callTimeoutMs?: number | undefined;
  /** How long after its early answer work that does not end keeps its permit; by default until it ends. */
  readonly abandonAfterMs?: number | undefined;
  /** Whether rejections carry a stack; false by default, because collecting one costs more than the rest. */
  readonly stackTraces?: boolean | undefined;
  /** Whether the warning of a permit that was dropped says where it was taken; false by default, because every manual permit then costs a stack. */
  readonly trackPermits?: boolean | undefined;
  /**
   * Whether a call that waits for itself, because its own async context holds too much, is rejected with `BulkheadReentrantError`;
   * false by default. Only in Node.
   */
  readonly detectReentrancy?: boolean | undefined;
}

export interface CallOptions {
  /** Gives up waiting, or the answer: the call then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /** How many permits the call takes; 1 by default. */
  readonly weight?: number | undefined;
  /** Shortens the bulkhead's `timeoutMs` for this call; 0 is not willing to wait. */
  readonly timeoutMs?: number | undefined;
  /** Bounds the wait and the work: `performance.now()` milliseconds or a `Date`. */
  readonly deadline?: number | Date | undefined;
}

export interface MapOptions {
  /** Ends the map: it then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /** How many permits each item takes; 1 by default. */
  readonly weight?: number | undefined;
  /** Whether the first error ends the map, the default; false runs all items and then rejects with an `AggregateError`. */
  readonly stopOnError?: boolean | undefined;
}

export interface CloseOptions {
  /** Also aborts the signals of the work that runs, with a `BulkheadClosedError`, and lets the work answer. */
  readonly abort?: boolean | undefined;
}

/** The options of a call, checked. */
export interface Request {
  readonly weight: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** Of a call without options, and only of such a call. */
export const DEFAULT_REQUEST: Request = { weight: 1, timeout: Infinity, deadline: Infinity, signal: undefined };

/** What the facade itself does, or not. */
export const TRAITS = ['stackTraces', 'trackPermits', 'detectReentrancy'] as const;

export type Traits = Readonly<Record<(typeof TRAITS)[number], boolean>>;

/** The options of a bulkhead, checked. */
export interface Setup {
  readonly engine: EngineOptions;
  readonly traits: Traits;
}

export function bulkheadOptions(options: BulkheadOptions | undefined): Setup {
  if (options === undefined) throw new TypeError('options are missing: { maxConcurrent } is required');
  // Options 5.2, Options 5.5: names and types here, ranges in the core.
  known(options, [...OPTIONS, ...TRAITS]);
  const maxConcurrent = number('maxConcurrent', options.maxConcurrent);
  const maxQueue = optional(number, 'maxQueue', options.maxQueue);
  const timeoutMs = optional(number, 'timeoutMs', options.timeoutMs);
  const callTimeoutMs = optional(number, 'callTimeoutMs', options.callTimeoutMs);
  const abandonAfterMs = optional(number, 'abandonAfterMs', options.abandonAfterMs);
  return {
    engine: [maxConcurrent, maxQueue, timeoutMs, callTimeoutMs, abandonAfterMs],
    // Options 1.7, Options 1.8, Options 1.9
    traits: traitsOf((name) => optional(flag, name, options[name]) ?? false),
  };
}

export function traitsOf(has: (name: (typeof TRAITS)[number]) => boolean): Traits {
  return Object.fromEntries(TRAITS.map((name) => [name, has(name)])) as Traits;
}

export function callOptions(options: CallOptions | undefined): Request {
  if (options === undefined) return DEFAULT_REQUEST;
  known(options, ['signal', 'weight', 'timeoutMs', 'deadline']);
  return {
    weight: optional(number, 'weight', options.weight) ?? 1,
    timeout: optional(number, 'timeoutMs', options.timeoutMs) ?? Infinity,
    deadline: optional(instant, 'deadline', options.deadline) ?? Infinity,
    signal: optional(abortSignal, 'signal', options.signal),
  };
}

export function mapOptions(options: MapOptions | undefined): { request: Request; stopOnError: boolean } {
  if (options === undefined) return { request: DEFAULT_REQUEST, stopOnError: true };
  known(options, ['signal', 'weight', 'stopOnError']);
  const weight = optional(number, 'weight', options.weight) ?? 1;
  const signal = optional(abortSignal, 'signal', options.signal);
  return {
    request: { ...DEFAULT_REQUEST, weight, signal },
    stopOnError: optional(flag, 'stopOnError', options.stopOnError) ?? true,
  };
}

export function closeOptions(options: CloseOptions | undefined): { abort: boolean } {
  if (options === undefined) return { abort: false };
  known(options, ['abort']);
  return { abort: optional(flag, 'abort', options.abort) ?? false };
}

/** Throws what a call with these figures would reject with; for those who want to know before there is a call. */
export function checkRanges({ weight, timeout, deadline }: Request, create: CreateEngine): void {
  // Range check only: a request whose signal is aborted takes nothing.
  probe ??= create(1);
  probe.acquire(0, weight, timeout, deadline, Flag.aborted, undefined);
}

let probe: Engine | undefined;

export function number(option: string, value: unknown): number {
  // Options 5.5
  if (typeof value !== 'number') throw wrongType(option, 'a number', value);
  return value;
}

export function text(option: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongType(option, 'a string', value);
  return value;
}

export function work<Fn>(value: Fn): Fn {
  if (typeof value !== 'function') throw wrongType('fn', 'a function', value);
  return value;
}

function flag(option: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(option, 'true or false', value);
  return value;
}

/** Anything with the shape of one: signals come from other realms and from polyfills. */
function abortSignal(option: string, value: unknown): AbortSignal {
  const { aborted, addEventListener, removeEventListener } = Object(value) as Record<string, unknown>;
  if (typeof aborted !== 'boolean' || typeof addEventListener !== 'function' || typeof removeEventListener !== 'function') {
    throw wrongType(option, 'an AbortSignal', value);
  }
  return value as AbortSignal;
}

/** A point in time on the host's clock. */
function instant(option: string, value: unknown): number {
  if (Object.prototype.toString.call(value) === '[object Date]') return instantOf(option, value as Date);
  if (typeof value !== 'number') throw wrongType(option, 'performance.now() milliseconds or a Date', value);
  // Options 6.2
  if (value >= EARLIEST_EPOCH_TIME && value !== Infinity) {
    throw new RangeError(`${option} must be performance.now() milliseconds or a Date, got ${value}, which looks like Date.now()`);
  }
  return value;
}

/** Thirty years on the clock of a process; on that of the calendar, the year 2001. */
const EARLIEST_EPOCH_TIME = 1e12;

function instantOf(option: string, date: Date): number {
  const time = date.getTime();
  if (Number.isNaN(time)) throw new RangeError(`${option} must be a valid Date, got Invalid Date`);
  // Options 6.1: a calendar that is set later changes nothing.
  return now() + (time - Date.now());
}

/** `undefined` is the default; `null` is not. */
function optional<Value>(check: (option: string, value: unknown) => Value, option: string, value: unknown): Value | undefined {
  // Options 4.2
  return value === undefined ? undefined : check(option, value);
}

function known(options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw wrongType('options', 'an object', options);
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`unknown option ${name}; there are ${names.join(', ')}`);
  }
}

export function wrongType(option: string, rule: string, value: unknown): TypeError {
  // Options 5.1, Options 5.2
  return new TypeError(`${option} must be ${rule}, got ${shown(value)}`);
}

function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : Object.prototype.toString.call(value);
    default:
      return String(value);
  }
}
