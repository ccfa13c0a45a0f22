// Worker threads that do what a test asks for, step by step.

import { after, before } from 'node:test';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Bulkhead } from 'bulkheads';
import type { VirtualClock } from 'bulkheads/testing';

/** What a task finds in its thread. */
export interface Scope {
  readonly Bulkhead: typeof Bulkhead;
  readonly VirtualClock: typeof VirtualClock;
  readonly require: NodeJS.Require;
  /** From one task to the next. */
  readonly kept: Record<string, unknown>;
  /** What was kept, as what it is known to be. */
  get<Value>(key: string): Value;
  /** A turn of the host. */
  readonly turn: () => Promise<void>;
  /** How a promise ended: its value, or the code or the message of its error. */
  outcome(promise: Promise<unknown>): Promise<unknown>;
  /** Nothing keeps the thread but what it does itself. */
  letEnd(): void;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
}

export class Thread {
  readonly worker: Worker;
  readonly #pending = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  /** The exit code. */
  readonly ended: Promise<number>;

  constructor(options: WorkerOptions = {}) {
    this.worker = new Worker(SOURCE, { execArgv: [], ...options, eval: true });
    this.worker.on('message', (answer: Answer) => this.#settle(answer));
    this.ended = new Promise((resolve) => this.worker.once('exit', (code) => resolve(code)));
    void this.ended.then(() => this.#abandon());
    // What ends a thread is up to its test.
    this.worker.on('error', () => undefined);
  }

  /**
   * Runs a function there. Its source is what goes over: it sees nothing of here but its
   * parameters.
   */
  run<Parameter, Result>(task: (scope: Scope, parameter: Parameter) => Result, parameter?: Parameter): Promise<Awaited<Result>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.worker.postMessage({ id, source: String(task), parameter });
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  #settle({ id, result, error }: Answer): void {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(result as never);
    else waiting?.reject(Object.assign(new Error(error.message), { name: error.name }));
  }

  #abandon(): void {
    for (const { reject } of this.#pending.values()) reject(new Error('the thread has ended'));
  }
}

/** With so many threads, which end with the test. */
export function withThreads(count: number, test: (...threads: Thread[]) => Promise<void>): () => Promise<void> {
  return async () => {
    const threads = Array.from({ length: count }, () => new Thread());
    try {
      await test(...threads);
    } finally {
      await Promise.all(threads.map((thread) => thread.end()));
    }
  };
}

/**
 * For files whose tests wait for the last that another thread has done: that must not be the last
 * that their process does.
 */
export function keepAlive(): void {
  let alive: NodeJS.Timeout;
  before(() => {
    alive = setInterval(() => undefined, 1000);
  });
  after(() => clearInterval(alive));
}

let names = 0;

/** A name that no other test has. */
export function freshName(): string {
  return `shared ${++names}`;
}

const SOURCE = `
  const { parentPort } = require('node:worker_threads');
  const nextTurn = setImmediate;
  // What the compiler of the tests wraps named functions in.
  globalThis.__name = (fn) => fn;
  const scope = {
    require,
    Bulkhead: require('bulkheads').Bulkhead,
    VirtualClock: require('bulkheads/testing').VirtualClock,
    kept: {},
    get: (key) => scope.kept[key],
    turn: () => new Promise((resolve) => nextTurn(resolve)),
    outcome: (promise) => promise.then((value) => value, (error) => error?.code ?? error?.message ?? error),
    letEnd: () => parentPort.unref(),
  };
  parentPort.on('message', async ({ id, source, parameter }) => {
    try {
      parentPort.postMessage({ id, result: await (0, eval)('(' + source + ')')(scope, parameter) });
    } catch (error) {
      parentPort.postMessage({ id, error: { name: error.name, message: error.message } });
    }
  });
`;
