// A promise and what settles it.

export class Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;

  constructor() {
    this.promise = new Promise<Value>(capture as (resolve: (value: Value) => void, reject: (reason: unknown) => void) => void);
    this.resolve = resolve;
    this.reject = reject;
  }
}

// One function for all promises: a closure for each would be the dearest part of a call that waits.
let resolve: (value: unknown) => void;
let reject: (reason: unknown) => void;

function capture(resolves: (value: unknown) => void, rejects: (reason: unknown) => void): void {
  resolve = resolves;
  reject = rejects;
}
