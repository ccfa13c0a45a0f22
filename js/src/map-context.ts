// What the work of an item sees, and how a map ends that work.

import type { Driver } from './driver.js';
import type { WorkContext } from './exec.js';

export interface MapContext extends WorkContext {
  /** The place of the item, from 0. */
  readonly index: number;
}

/** Ends the work of a map: aborts the signals that were read, and those that will be. */
export class Stop {
  readonly #contexts = new Set<ItemContext>();
  /** Items behind this one are to end. */
  #last = Infinity;
  #reason: unknown = undefined;

  /** Ends the items behind `last`. Without a reason signals get the host's own. */
  abort(reason: unknown, last = -1): void {
    if (last >= this.#last) return;
    this.#last = last;
    this.#reason = reason;
    for (const context of [...this.#contexts]) if (context.index > last) context.controller?.abort(reason);
  }

  /** The signal of this context was read. */
  add(context: ItemContext, controller: AbortController): void {
    if (context.index > this.#last) controller.abort(this.#reason);
    else this.#contexts.add(context);
  }

  delete(context: ItemContext): void {
    this.#contexts.delete(context);
  }
}

/** Its signal aborts when the map ends before the item, and when that of its call does. */
export class ItemContext implements MapContext {
  readonly index: number;
  // Private to the package only: fields with a # cost a quarter of a short call, at their
  // construction.
  /** That of its call, if it has one. */
  outer: WorkContext | undefined = undefined;
  controller: AbortController | undefined = undefined;
  /** Absent once the item has ended. */
  stop: Stop | undefined;
  readonly driver: Driver;

  constructor(index: number, stop: Stop, driver: Driver) {
    this.index = index;
    this.stop = stop;
    this.driver = driver;
  }

  get signal(): AbortSignal {
    return (this.controller ??= controllerOf(this)).signal;
  }
}

function controllerOf(context: ItemContext): AbortController {
  const { outer, stop, driver } = context;
  const controller = new AbortController();
  const signal = outer?.signal;
  if (signal?.aborted === true) controller.abort(signal.reason);
  else if (stop !== undefined) {
    stop.add(context, controller);
    if (signal === undefined) driver.abortable(context, controller);
    else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller;
}

/** The item has ended: nothing aborts its signal any more. */
export function itemEnded(context: ItemContext): void {
  if (context.controller !== undefined) {
    context.stop?.delete(context);
    context.driver.ended(context);
  }
  context.stop = undefined;
}
