// What stands behind an id: somebody who waits for an answer.

import type { Driver } from './driver.js';
import type { Hub } from './signals.js';

export abstract class Entry {
  readonly driver: Driver;
  readonly weight: number;
  /** 0 until the core has taken it in. */
  id = 0;
  /** Where it hears of its signal. */
  hub: Hub | undefined = undefined;
  isAnswered = false;
  /** The core has let it go, though it may not have been told of its grant yet. */
  isCancelled = false;

  constructor(driver: Driver, weight: number) {
    this.driver = driver;
    this.weight = weight;
  }

  /** It stands in the queue. */
  abstract queued(): void;

  /** It has its permits, after it stood in the queue. */
  abstract tell(): void;

  /** It gets no result: it was turned away, or answered before its work has settled. */
  abstract refuse(reason: unknown): void;
}
