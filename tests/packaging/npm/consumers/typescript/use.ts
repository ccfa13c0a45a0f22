import { Bulkhead, BulkheadError, type BulkheadStats, type Permit } from 'bulkheads';
import { VirtualClock } from 'bulkheads/testing';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
/** Compiles if the value has exactly the wanted type. */
const is = <Wanted>() => <Came>(_value: Came, _same: Same<Came, Wanted>): void => undefined;

export const shipping = new Bulkhead('shipping', { maxConcurrent: 10, maxQueue: 20, timeoutMs: 300 });
export const clock = new VirtualClock();

export async function results(signal: AbortSignal): Promise<void> {
  is<Promise<number>>()(shipping.exec(() => 1), true);
  is<Promise<string>>()(shipping.exec(async ({ signal }) => String(signal.aborted), { signal, weight: 2 }), true);

  const quote = shipping.wrap(async (address: string, weight: number | undefined = 1) => address.length * weight);
  is<Promise<number>>()(quote('Quay 7'), true);
  is<[address: string, weight?: number | undefined]>()(parametersOf(quote), true);
  // @ts-expect-error a parameter of the wrong type
  void quote(1);

  is<Promise<number[]>>()(shipping.map(['bow', 'stern'], (word, { index }) => word.length + index), true);
  for await (const length of shipping.mapIterable(new Set(['bow']), (word) => word.length)) is<number>()(length, true);

  const permit: Permit = await shipping.acquire();
  permit.release();
  permit[Symbol.dispose]();
  is<BulkheadStats>()(shipping.stats(), true);
}

declare function parametersOf<Parameters extends unknown[]>(fn: (...parameters: Parameters) => unknown): Parameters;

export const codeOf = (error: unknown): string | undefined => (error instanceof BulkheadError ? error.code : undefined);
