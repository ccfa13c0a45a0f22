// Types and names of options are checked here, ranges in the core.

import type { CreateEngine, Engine, EngineOptions } from './engines/engine.js';
import { Flag, OPTIONS } from './engines/tables.js';
import { now } from './now.js';

export interface BulkheadOptions {
  /** The permits: how many calls of weight 1 may run at a time. An integer from 1. */
  readonly maxConcurrent: number;
  /** How many calls may wait; 0, the default, fails fast. */
  readonly maxQueue?: number | undefined;
  /**
   * The longest a call may wait; 1000 by default, or `callTimeoutMs` if that is less. `Infinity` is
   * no bound.
   */
  readonly timeoutMs?: number | undefined;
  /** The longest the work may run, from the grant; no bound by default. */
  readonly callTimeoutMs?: number | undefined;
  /**
   * How long after its early answer work that does not end keeps its permit; by default until it
   * ends.
   */
  readonly abandonAfterMs?: number | undefined;
  /**
   * Whether rejections carry a stack; false by default, because collecting one costs more than the
   * rest.
   */
  readonly stackTraces?: boolean | undefined;
  /**
   * Whether the warning of a permit that was dropped says where it was taken; false by default,
   * because every manual permit then costs a stack.
   */
  readonly trackPermits?: boolean | undefined;
  /**
   * Whether a call that waits for itself, because its own async context holds too much, is rejected
   * with `BulkheadReentrantError`; false by default. Only in Node.
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
  /**
   * The longest the work may run, from the grant; can only shorten the bulkhead's `callTimeoutMs`.
   */
  readonly callTimeoutMs?: number | undefined;
}

/** What holds for every call of a wrapped function. */
export interface WrapOptions extends CallOptions {
  /**
   * `'first'`: the function gets the context of its call, with its `signal`, before its own
   * parameters.
   */
  readonly context?: 'first' | undefined;
}

/**
 * What holds for every item: its weight, the wait for capacity while no item runs, the run of one;
 * a signal ends the map.
 */
export interface MapOptions extends CallOptions {
  /**
   * Whether the first error ends the map, the default; false runs all items and then rejects with
   * an `AggregateError`, whose `indices` are the places of the items that its `errors` are of.
   */
  readonly stopOnError?: boolean | undefined;
}

export interface MapIterableOptions extends MapOptions {
  /**
   * Whether the results come in the order of their items, the default; false gives each as soon as
   * it is there.
   */
  readonly ordered?: boolean | undefined;
  /**
   * How many results may wait for the consumer beside as many items under way as the limit allows;
   * 0 by default.
   */
  readonly buffer?: number | undefined;
}

export interface CloseOptions {
  /**
   * Also aborts the signals of the work that runs, with a `BulkheadClosedError`, and lets the work
   * answer.
   */
  readonly abort?: boolean | undefined;
}

/** The options of a call, checked. */
export interface Request {
  readonly weight: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly callTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Of a call without options, and only of such a call. */
export const DEFAULT_REQUEST: Request = {
  weight: 1,
  timeout: Infinity,
  deadline: Infinity,
  callTimeout: Infinity,
  signal: undefined,
};

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

const CALL_OPTIONS = ['signal', 'weight', 'timeoutMs', 'deadline', 'callTimeoutMs'] as const;

export function callOptions(options: CallOptions | undefined): Request {
  if (options === undefined) return DEFAULT_REQUEST;
  known(options, CALL_OPTIONS);
  return request(options);
}

/**
 * Of `wrap`: what it does for each call, `undefined` if that is nothing, and whether the function
 * gets a context.
 */
export function wrapOptions(options: WrapOptions | undefined): { call: CallOptions | undefined; hasContext: boolean } {
  if (options === undefined) return { call: undefined, hasContext: false };
  known(options, [...CALL_OPTIONS, 'context']);
  const { context, ...call } = options as CallOptions & { readonly context?: unknown };
  if (context !== undefined && context !== 'first') throw wrongType('context', "'first'", context);
  const hasOptions = Object.values(call).some((value) => value !== undefined);
  return { call: hasOptions ? call : undefined, hasContext: context !== undefined };
}

function request(options: CallOptions): Request {
  return {
    weight: optional(number, 'weight', options.weight) ?? 1,
    timeout: optional(number, 'timeoutMs', options.timeoutMs) ?? Infinity,
    deadline: optional(instant, 'deadline', options.deadline) ?? Infinity,
    callTimeout: optional(number, 'callTimeoutMs', options.callTimeoutMs) ?? Infinity,
    signal: optional(abortSignal, 'signal', options.signal),
  };
}

/** `more`: the options of a map of this kind besides those of every call. */
export function mapOptions(options: MapIterableOptions = {}, more: readonly string[] = ['stopOnError']): MapSetup {
  known(options, [...CALL_OPTIONS, ...more]);
  const buffer = optional(number, 'buffer', options.buffer) ?? 0;
  if (!(buffer >= 0)) throw new RangeError(`buffer must be 0 or more, got ${buffer}`);
  return {
    request: request(options),
    stopOnError: optional(flag, 'stopOnError', options.stopOnError) ?? true,
    ordered: optional(flag, 'ordered', options.ordered) ?? true,
    buffer,
  };
}

export interface MapSetup {
  readonly request: Request;
  readonly stopOnError: boolean;
  readonly ordered: boolean;
  readonly buffer: number;
}

export interface DrainOptions {
  /**
   * How long the waiters are served; then it closes. `Infinity`, the default: until none is left.
   */
  readonly timeoutMs?: number | undefined;
}

export function drainOptions(options: DrainOptions | undefined): { timeout: number } {
  if (options === undefined) return { timeout: Infinity };
  known(options, ['timeoutMs']);
  return { timeout: optional(number, 'timeoutMs', options.timeoutMs) ?? Infinity };
}

export function closeOptions(options: CloseOptions | undefined): { abort: boolean } {
  if (options === undefined) return { abort: false };
  known(options, ['abort']);
  return { abort: optional(flag, 'abort', options.abort) ?? false };
}

/** Throws what a call with these figures would reject with; for checks before there is a call. */
export function checkRanges(request: Request, create: CreateEngine): void {
  // Range check only: a request whose signal is aborted takes nothing.
  probe ??= create(1);
  probe.acquire(0, request, request.deadline, Flag.aborted, undefined);
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
