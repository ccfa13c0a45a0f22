// What the tests take from Node without importing it, for a page.

/** As it was when this was loaded: a turn of the host, however the clock stands. */
const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];

port1.onmessage = () => waiting.shift()?.();

export function setImmediate(act: () => void): void {
  waiting.push(act);
  port2.postMessage(undefined);
}

/** A page has no processes. */
export function execFile(): never {
  throw new Error('a page runs no other process');
}
