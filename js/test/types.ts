// Never run: what must and what must not compile, checked by `npm run typecheck`.

import { type AnyBulkheadError, Bulkhead, BulkheadError, type BulkheadErrorCode, type BulkheadFullError, type BulkheadStats, type Permit, type WorkContext } from 'bulkheads';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
/** Compiles if the value has exactly the wanted type. */
function is<Wanted>() {
  return <Came>(_value: Came, _same: Same<Came, Wanted>): void => undefined;
}

const shipping = new Bulkhead('shipping', { maxConcurrent: 10, maxQueue: 20, timeoutMs: 300, callTimeoutMs: undefined });

export async function results(url: string, signal: AbortSignal | undefined): Promise<void> {
  is<Promise<number>>()(shipping.exec(() => 1), true);
  is<Promise<number>>()(shipping.exec(() => Promise.resolve(1)), true);
  is<Promise<number>>()(shipping.exec(() => ({ then: (done: (value: number) => void) => done(1) })), true);
  is<Promise<Response>>()(shipping.exec(({ signal }) => fetch(url, { signal }), { signal, weight: 1, timeoutMs: 5, deadline: new Date() }), true);
  is<Promise<'none' | number>>()(shipping.exec(() => (url === '' ? 'none' : Promise.resolve(1))), true);
  is<Permit>()(await shipping.acquire({ weight: 2 }), true);
  is<Permit | null>()(shipping.tryAcquire(2), true);
  is<Promise<Response[]>>()(shipping.map([url], (one, { signal, index }) => fetch(one + String(index), { signal })), true);
  is<Promise<number[]>>()(shipping.map(new Set([1]), (one) => one), true);
  is<BulkheadStats>()(shipping.stats(), true);
  is<'native' | 'wasm'>()(Bulkhead.engine, true);
  is<Bulkhead>()(Bulkhead.shared('shipping'), true);
  is<Bulkhead>()(Bulkhead.shared('shipping', { maxConcurrent: 10, maxQueue: 20 }), true);
  is<Error | undefined>()(Bulkhead.engineError, true);
  for await (const page of shipping.mapIterable((async function* () { yield await Promise.resolve(url); })(), (one) => one.length)) is<number>()(page, true);
  using one = await shipping.acquire();
  await using other = await shipping.acquire();
  is<number>()(one.weight + other.weight, true);
  is<number>()(shipping.stats().rejected.reentrant, true);
  new Bulkhead('shipping', { maxConcurrent: 1, trackPermits: true, detectReentrancy: true });
  // @ts-expect-error internal
  is<symbol>()(shipping.cloneable, true);
}

export function wrapping(): void {
  const add = shipping.wrap((one: number, other: number | undefined = 2) => one + other, { weight: 2 });
  is<Promise<number>>()(add(1), true);
  // @ts-expect-error a parameter of the wrong type
  void add('1');
  const shop = { rate: 2, quote: shipping.wrap(function (this: { rate: number }, weight: number) { return this.rate * weight; }) };
  is<Promise<number>>()(shop.quote(3), true);
  const { quote } = shop;
  // @ts-expect-error without its this
  void quote(3);
}

export async function streams(): Promise<void> {
  const count = async function* (to: number): AsyncGenerator<number, string, undefined> {
    yield to;
    return 'end';
  };
  const tokens = shipping.wrap(count);
  for await (const token of tokens(3)) is<number>()(token, true);
  for await (const token of await tokens(3)) is<number>()(token, true);
  for await (const token of tokens.with({ weight: 2 })(3)) is<number>()(token, true);
  for await (const token of shipping.exec(() => count(3))) is<number>()(token, true);
  is<AsyncGenerator<number, string, undefined>>()(await shipping.exec(() => count(3)), true);
  is<Promise<AsyncGenerator<number, string, undefined>>>()(shipping.exec(async () => Promise.resolve(count(3))), true);
  // @ts-expect-error only the promise of the generator
  // eslint-disable-next-line @typescript-eslint/await-thenable
  for await (const token of shipping.exec(async () => Promise.resolve(count(3)))) is<number>()(token, true);
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-return
  is<Promise<any>>()(shipping.exec(() => JSON.parse('1')), true);
  is<Promise<never>>()(shipping.exec(() => { throw new Error('no'); }), true);
}

export async function generic<Result>(work: () => Result): Promise<Awaited<Result>> {
  const wrapped: () => Promise<Awaited<Result>> = shipping.wrap(work);
  const result: Awaited<Result> = await wrapped();
  return Math.random() > 1 ? result : shipping.exec(work);
}

export function codes(error: unknown, any: AnyBulkheadError): number {
  if (!(error instanceof BulkheadError)) return 0;
  is<BulkheadErrorCode>()(error.code, true);
  if (error.code === 'full') is<BulkheadFullError>()(error, true);
  is<AnyBulkheadError | undefined>()(BulkheadError.from(error), true);
  // @ts-expect-error no such code
  if (error.code === 'busy') return 1;
  // @ts-expect-error not all have it
  if (error.waitedMs > 1) return 1;
  switch (any.code) {
    case 'full':
    case 'queue_timeout':
      return any.maxQueue;
    case 'too_heavy':
      return any.weight;
    case 'reentrant':
      return any.holding;
    case 'call_timeout':
      return any.ranMs;
    case 'closed':
      return any.isRejection ? 1 : 2;
  }
}

export function contexts(gone: AbortSignal): void {
  const load = shipping.wrap(({ signal }, url: string) => fetch(url, { signal }), { context: 'first', callTimeoutMs: 5 });
  is<Promise<Response>>()(load(''), true);
  is<Promise<Response>>()(load.with({ signal: gone, timeoutMs: 5, callTimeoutMs: 5 })(''), true);
  // @ts-expect-error the context is not the caller's
  void load({ signal: gone }, '');
  // @ts-expect-error no parameter
  void load();
  // @ts-expect-error unknown option
  void load.with({ context: 'first' })('');
  // @ts-expect-error only first
  shipping.wrap((one: number) => one, { context: 'last' });
  const shop = { rate: 2, quote: shipping.wrap(function (this: { rate: number }, _context: WorkContext, weight: number) { return this.rate * weight; }, { context: 'first' }) };
  is<Promise<number>>()(shop.quote(3), true);
  is<Promise<number>>()(shop.quote.with({ weight: 2 }).call(shop, 3), true);
}

export function mistakes(stats: BulkheadStats, context: WorkContext, permit: Permit): void {
  // @ts-expect-error maxConcurrent is required
  new Bulkhead('shipping', {});
  // @ts-expect-error a typo
  new Bulkhead('shipping', { maxConcurrent: 1, maxQueueSize: 1 });
  // @ts-expect-error options that are given have maxConcurrent
  Bulkhead.shared('shipping', { maxQueue: 1 });
  // @ts-expect-error null is not the default
  new Bulkhead('shipping', { maxConcurrent: 1, timeoutMs: null });
  // @ts-expect-error a name is needed
  new Bulkhead({ maxConcurrent: 1 });
  // @ts-expect-error a promise is no work: it has started already
  void shipping.exec(Promise.resolve(1));
  // @ts-expect-error unknown option
  void shipping.exec(() => 1, { timeout: 5 });
  // @ts-expect-error a weight, not options
  shipping.tryAcquire({ weight: 2 });
  // @ts-expect-error null, not always a permit
  shipping.tryAcquire().release();
  // @ts-expect-error no items
  void shipping.map(5, () => 1);
  // @ts-expect-error the bulkhead is the bound
  void shipping.map([1], () => 1, { concurrency: 2 });
  // @ts-expect-error read only
  stats.active = 0;
  // @ts-expect-error read only
  context.signal = new AbortController().signal;
  is<AbortSignal>()(permit.signal, true);
  is<Permit>()(permit.split(1), true);
  is<boolean>()(permit.adjust(2), true);
  permit.release(1);
  // @ts-expect-error a number
  permit.release('1');
  // @ts-expect-error read only
  permit.weight = 3;
}
