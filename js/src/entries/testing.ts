// A virtual clock for tests: nothing sleeps, and every timer fires exactly when it is due.

interface VirtualTimer {
  readonly at: number;
  readonly id: number;
  readonly act: () => void;
}

/**
 * Takes the place of `performance.now`, `setTimeout` and `clearTimeout` from `install` to
 * `uninstall`. Time moves only by its methods:
 *
 *     const clock = new VirtualClock().install();
 *     await clock.advance(50);
 *     clock.uninstall();
 */
export class VirtualClock {
  readonly #timers = new Map<number, VirtualTimer>();
  #now: number;
  #lastId = 0;
  #uninstall: (() => void) | undefined;

  /** @param start milliseconds on the clock when it starts */
  constructor(start = 0) {
    this.#now = start;
  }

  get now(): number {
    return this.#now;
  }

  /** When the next timer falls due, `null` if there is none. */
  get nextTimer(): number | null {
    return this.#next()?.at ?? null;
  }

  install(): this {
    if (this.#uninstall !== undefined) throw new Error('this virtual clock is installed already');
    const undo = [
      replace(performance, 'now', () => this.#now),
      replace(globalThis, 'setTimeout', (act: (...rest: unknown[]) => void, delay?: number, ...rest: unknown[]) => {
        return this.#set(() => act(...rest), delay);
      }),
      replace(globalThis, 'clearTimeout', (timer: unknown) => {
        this.#timers.delete(Number(timer));
      }),
    ];
    this.#uninstall = () => {
      for (const one of undo) one();
    };
    return this;
  }

  uninstall(): void {
    this.#uninstall?.();
    this.#uninstall = undefined;
  }

  /**
   * Sets the clock, as if the host had been blocked until then: timers due by now fire when the
   * host gets its turn.
   */
  jump(to: number): void {
    this.#now = Math.max(this.#now, to);
  }

  /** Until nothing is ready and no timer is due. */
  async settle(): Promise<void> {
    await turn();
    for (let timer = this.#next(); timer !== undefined && timer.at <= this.#now; timer = this.#next()) {
      this.#timers.delete(timer.id);
      timer.act();
      await turn();
    }
  }

  /** Moves time on to the point `to`, from timer to timer, each with all that follows from it. */
  async advanceTo(to: number): Promise<void> {
    await this.settle();
    for (let at = this.nextTimer; at !== null && at <= to; at = this.nextTimer) {
      this.jump(at);
      await this.settle();
    }
    this.jump(to);
  }

  /** As `advanceTo`, from now. */
  advance(milliseconds: number): Promise<void> {
    return this.advanceTo(this.#now + milliseconds);
  }

  #set(act: () => void, delay = 0): object {
    const id = ++this.#lastId;
    this.#timers.set(id, { at: this.#now + Math.max(0, delay || 0), id, act });
    return handle(id);
  }

  /** Timers of the same time fire in the order in which they were set. */
  #next(): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers.values()) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }
}

/** What works as a timer of Node and of a browser. */
function handle(id: number): object {
  const timer = { ref: () => timer, unref: () => timer, hasRef: () => true, [Symbol.toPrimitive]: () => id };
  return timer;
}

function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: before?.enumerable ?? true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
  };
}

/** One turn of the host: all that is ready has run after it. */
function turn(): Promise<void> {
  if (typeof nextTurn === 'function') return new Promise((resolve) => nextTurn(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Node's; as it was when this file was loaded, since tests put in fake ones. */
const nextTurn = (globalThis as { setImmediate?: (act: () => void) => unknown }).setImmediate;
