// Both engines behind the one interface: every number goes through an array that the engine shares with us, because an argument
// or an answer of a call would cost more than the work. The places are those of core/src/mailbox.rs; docs/engine.md has the table.

import type { Engine } from '../engine.js';
import type { Figures } from '../errors.js';

/** What an engine is made of. */
export interface RawEngine {
  /** Does the input that lies in the mailbox. */
  exchange(): void;
  abort(now: number, ids: Float64Array): void;
  stats(): ArrayLike<number>;
}

/** The array: all but the events at places with a name. */
export interface Mailbox extends Float64Array {
  0: number;
  8: number;
  9: number;
  10: number;
  11: number;
  12: number;
  13: number;
  14: number;
  15: number;
}

/** How many numbers there are. */
export const MAILBOX_LENGTH = 64;

const CODE = 0;
const NOW = 1;
const FIRST = 2;
const SECOND = 3;
const THIRD = 4;
const FOURTH = 5;
const FIFTH = 6;
const TAKEN = 7;
const COUNT = 8;
const TIMER = 9;
const KEEPS_ALIVE = 10;
const LIMIT = 11;
const ACTIVE = 12;
const QUEUED = 13;
const MAX_QUEUE = 14;
const CALM = 15;
const EVENTS = 16;

/** The codes of the inputs. */
const ADMIT_NOW = 1;
const FINISH_NOW = 2;
const ACQUIRE = 3;
const TRY_ACQUIRE = 4;
const START = 5;
const FINISH = 6;
const RELEASE = 7;
const CANCEL = 8;
const RESIZE = 9;
const CLOSE = 10;
const DRAIN = 11;
const EVICT = 12;
const WATCH_IDLE = 13;
const WATCH_ROOM = 14;
const HANDLE_TIMEOUT = 15;
const SHOW = 16;
const SHOW_FIGURES = 17;
const PERMITS = 18;

export abstract class MailboxEngine implements Engine {
  readonly raw: RawEngine;
  readonly #open: () => Mailbox;
  #box: Mailbox;
  /** How many of the events shown were taken, and where the last of them stands. */
  #taken = 0;
  #event = 0;

  /** `open` answers the mailbox; it is asked again when that has lost its memory, which a WebAssembly module does as it grows. */
  constructor(raw: RawEngine, open: () => Mailbox) {
    this.raw = raw;
    this.#open = open;
    this.#box = open();
  }

  admitNow(weight: number, flags: number): number {
    const box = this.#live();
    if (box[CALM] === 0) return 0;
    box[CODE] = ADMIT_NOW;
    box[FIRST] = weight;
    box[SECOND] = flags;
    this.raw.exchange();
    return this.#live()[CODE];
  }

  finishNow(id: number, outcome: number): boolean {
    const box = this.#live();
    if (box[CALM] === 0) return false;
    box[CODE] = FINISH_NOW;
    box[FIRST] = id;
    box[SECOND] = outcome;
    this.raw.exchange();
    return box[CODE] === 1;
  }

  acquire(now: number, weight: number, timeout: number, deadline: number, flags: number, holding: number): number {
    const box = this.#live();
    box[THIRD] = deadline;
    box[FOURTH] = flags;
    box[FIFTH] = holding;
    return this.#checked(ACQUIRE, now, weight, timeout);
  }

  tryAcquire(now: number, weight: number): number {
    return this.#checked(TRY_ACQUIRE, now, weight);
  }

  start(id: number): void {
    this.#exchange(START, 0, id);
  }

  finish(now: number, id: number, outcome: number): boolean {
    return this.#exchange(FINISH, now, id, outcome) === 1;
  }

  release(now: number, id: number): boolean {
    return this.#exchange(RELEASE, now, id) === 1;
  }

  cancel(now: number, id: number): number {
    return this.#exchange(CANCEL, now, id);
  }

  abort(now: number, ids: Float64Array): void {
    this.#live()[TAKEN] = this.#taken;
    this.raw.abort(now, ids);
    this.#taken = 0;
  }

  resize(now: number, limit: number): void {
    this.#checked(RESIZE, now, limit);
  }

  close(now: number, abort: boolean): void {
    this.#exchange(CLOSE, now, Number(abort));
  }

  drain(now: number): void {
    this.#exchange(DRAIN, now);
  }

  evict(now: number): void {
    this.#exchange(EVICT, now);
  }

  watchIdle(now: number): boolean {
    return this.#exchange(WATCH_IDLE, now) === 1;
  }

  watchRoom(now: number, weight: number, holding: number): boolean {
    return this.#checked(WATCH_ROOM, now, weight, holding) === 1;
  }

  permits(id: number): number {
    return this.#exchange(PERMITS, 0, id);
  }

  handleTimeout(now: number): void {
    this.#exchange(HANDLE_TIMEOUT, now);
  }

  /** Looks again: another owner of the core may have changed what there is to tell. */
  show(): void {
    this.#exchange(SHOW);
  }

  nextEvent(): number {
    let box = this.#live();
    const count = box[COUNT];
    if (count === 0) return 0;
    if (this.#taken === count) {
      this.show();
      box = this.#live();
      if (box[COUNT] === 0) return 0;
    }
    this.#event = EVENTS + 3 * this.#taken;
    this.#taken += 1;
    return box[this.#event] ?? 0;
  }

  eventId(): number {
    return this.#live()[this.#event + 1] ?? 0;
  }

  eventTime(): number {
    return this.#live()[this.#event + 2] ?? 0;
  }

  nextTimer(): number {
    return this.#live()[TIMER];
  }

  keepsAlive(): boolean {
    return this.#live()[KEEPS_ALIVE] === 1;
  }

  figures(): Figures {
    this.#exchange(SHOW_FIGURES);
    const box = this.#live();
    return {
      limit: box[LIMIT],
      active: box[ACTIVE],
      queued: box[QUEUED],
      maxQueue: box[MAX_QUEUE],
    };
  }

  stats(): ArrayLike<number> {
    return this.raw.stats();
  }

  /** Throws what was wrong with the last input, if anything was. */
  protected abstract throwFault(): void;

  protected answer(): number {
    return this.#live()[CODE];
  }

  /** Whether it is worth asking: as of the last input. */
  protected isCalm(): boolean {
    return this.#live()[CALM] === 1;
  }

  #live(): Mailbox {
    const box = this.#box;
    return box.length === 0 ? (this.#box = this.#open()) : box;
  }

  #checked(code: number, now: number, first: number, second = 0): number {
    const answer = this.#exchange(code, now, first, second);
    // Not a number: one of the arguments was out of its range.
    if (answer !== answer) this.throwFault();
    return answer;
  }

  /** The third argument and those after it have been written if the input has them. */
  #exchange(code: number, now = 0, first = 0, second = 0): number {
    const box = this.#live();
    box[CODE] = code;
    box[NOW] = now;
    box[FIRST] = first;
    box[SECOND] = second;
    box[TAKEN] = this.#taken;
    this.raw.exchange();
    this.#taken = 0;
    return this.#live()[CODE];
  }
}
