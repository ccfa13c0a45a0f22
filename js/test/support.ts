// What the tests share. Time is virtual in all of them.

import { execFile } from 'node:child_process';
import { VirtualClock } from 'bulkheads/testing';

const nextTurn = setImmediate;

/** A turn of the host: all that is ready has run after it. */
export function turn(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

/** Runs a test on a clock of its own. */
export function onClock(test: (clock: VirtualClock) => Promise<void>): () => Promise<void> {
  return async () => {
    const clock = new VirtualClock().install();
    try {
      await test(clock);
    } finally {
      clock.uninstall();
    }
  };
}

export interface Gate<Value> {
  readonly promise: Promise<Value>;
  readonly open: (value: Value) => void;
  readonly fail: (reason: unknown) => void;
}

/** A promise to be settled by hand. */
export function gate<Value = void>(): Gate<Value> {
  let open!: (value: Value) => void;
  let fail!: (reason: unknown) => void;
  const promise = new Promise<Value>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** How a promise ended, as a word: the code of an error, or its message. */
export function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then((value) => value, wordOf);
}

function wordOf(error: unknown): unknown {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : error;
}

/** Writes down in which order promises end. */
export class Log {
  readonly lines: string[] = [];

  readonly say = (line: string): void => {
    this.lines.push(line);
  };

  watch(name: string, promise: Promise<unknown>): void {
    const say = (how: unknown): void => this.say(`${name}:${String(how)}`);
    // No turn more than any other reaction takes: the order is what matters.
    promise.then(say, (error: unknown) => say(wordOf(error)));
  }

  /** The lines since the last time. */
  take(): string[] {
    return this.lines.splice(0);
  }
}

export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('run the tests with --expose-gc');
  globalThis.gc();
}

export interface Script {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an ES module in a process of its own, as a user of the package would. */
export function runScript(source: string, { env = {}, flags = [] }: { env?: Record<string, string>; flags?: string[] } = {}): Promise<Script> {
  return new Promise((resolve) => {
    const parameters = [...flags, '--input-type=module', '--eval', source];
    const options = { cwd: new URL('..', import.meta.url), env: { ...process.env, NODE_OPTIONS: '', ...env }, timeout: 60_000 };
    execFile(process.execPath, parameters, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout: stdout.trim(), stderr: stderr.trim() });
    });
  });
}
