// The engine in WebAssembly. There an argument costs nothing, so that the two inputs of the shortest way need no mailbox.

import { type Mailbox, MAILBOX_LENGTH, MailboxEngine, type RawEngine } from './mailbox.js';

export interface RawWasmEngine extends RawEngine {
  admitNow(weight: number, flags: number): number;
  finishNow(id: number, outcome: number): boolean;
  /** What was wrong, up to the value, which then lies at the mailbox's beginning. */
  fault(): string | undefined;
  /** Where the mailbox lies in the memory of the module. */
  mailbox(): number;
}

export class DirectEngine extends MailboxEngine {
  declare readonly raw: RawWasmEngine;

  constructor(raw: RawWasmEngine, memory: WebAssembly.Memory) {
    const address = raw.mailbox();
    super(raw, () => new Float64Array(memory.buffer, address, MAILBOX_LENGTH) as Mailbox);
    // One of the options.
    this.throwFault();
  }

  override admitNow(weight: number, flags: number): number {
    return this.isCalm() ? this.raw.admitNow(weight, flags) : 0;
  }

  override finishNow(id: number, outcome: number): boolean {
    return this.isCalm() && this.raw.finishNow(id, outcome);
  }

  /** Numbers are printed here: the code for that would be a third of the module. */
  protected override throwFault(): void {
    const text = this.raw.fault();
    if (text === undefined) return;
    const value = this.answer();
    throw new RangeError(text + (Object.is(value, -0) ? '-0' : String(value)));
  }
}
