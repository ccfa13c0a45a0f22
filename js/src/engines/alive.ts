// Keeps this thread's event loop alive while somebody here awaits what only another thread can bring: a wake does not.

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { host } from '../host.js';

const awaiting = new Set<object>();
let port: MessagePort | undefined;
/** A port lives only as long as its other end. */
let otherEnd: MessagePort | undefined;

/** `who` awaits something, or no longer does. */
export function awaitOthers(who: object, isAwaited: boolean): void {
  if (awaiting.has(who) === isAwaited) return;
  if (isAwaited) awaiting.add(who);
  else awaiting.delete(who);
  if (awaiting.size === 0) port?.unref();
  else if (awaiting.size === 1 && isAwaited) opened().ref();
}

function opened(): MessagePort {
  // It would keep the context of whoever comes first.
  if (port === undefined) ({ port1: port, port2: otherEnd } = host().outside(() => new MessageChannel()));
  otherEnd?.unref();
  return port;
}
