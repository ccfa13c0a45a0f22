// The engine as an addon of Node. In the built package the addons lie beside `dist`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CreateEngine } from '../engine.js';
import { type Mailbox, MailboxEngine, type RawEngine } from './mailbox.js';

export interface RawNativeEngine extends RawEngine {
  readonly mailbox: Mailbox;
  throwFault(): void;
}

type CreateRaw = (...options: Parameters<CreateEngine>) => RawNativeEngine;

export class NativeEngine extends MailboxEngine {
  declare readonly raw: RawNativeEngine;

  constructor(raw: RawNativeEngine) {
    super(raw, () => raw.mailbox);
  }

  protected override throwFault(): void {
    this.raw.throwFault();
  }
}

/** Throws if there is no addon for this machine. */
export function nativeEngine(): CreateEngine {
  const file = join(__dirname, '..', 'native', `bulkheads.${process.platform}-${process.arch}.node`);
  const { createEngine } = createRequire(__filename)(file) as { createEngine: CreateRaw };
  // Some hosts that load the addon refuse the memory that it shares with them.
  createEngine(1);
  return (...options) => new NativeEngine(createEngine(...options));
}
