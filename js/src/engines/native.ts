// The engine as an addon of Node.

import { type Mailbox, MailboxEngine, type RawEngine } from './mailbox.js';

export interface RawNativeEngine extends RawEngine {
  readonly mailbox: Mailbox;
  throwFault(): void;
}

export class NativeEngine extends MailboxEngine {
  declare readonly raw: RawNativeEngine;

  constructor(raw: RawNativeEngine) {
    super(raw, () => raw.mailbox);
  }

  protected override throwFault(): void {
    this.raw.throwFault();
  }
}
