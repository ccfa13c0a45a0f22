// Everybody who takes part. Each file says what its library is asked to do, and how: `uses` has one
// entry for each thing that it can do, with
//   make     the limiter, for work `fn`; `it` in the source below
//   call     the source of one call, an expression that answers a promise
//   statement  the same as a statement, where the library's own documents await it without a function around
//   shown    how the figure is labelled
//   note     in what it does less than ours
//   atMost   how many it can hold in a time that one can wait for
//   isExact  it looks at the clock when a call comes, not only when a timer fires

const LOAD = {
  'bare': () => import('./bare.mjs'),
  'bulkheads': () => import('./bulkheads.mjs'),
  'cockatiel': () => import('./cockatiel.mjs'),
  'cockatiel, cooperative': () => import('./cockatiel-cooperative.mjs'),
  'p-limit': () => import('./p-limit.mjs'),
  'p-queue': () => import('./p-queue.mjs'),
  'p-map': () => import('./p-map.mjs'),
  'async-sema': () => import('./async-sema.mjs'),
  'async-mutex': () => import('./async-mutex.mjs'),
  'fastq': () => import('./fastq.mjs'),
  'bottleneck': () => import('./bottleneck.mjs'),
  'opossum': () => import('./opossum.mjs'),
  'effect': () => import('./effect.mjs'),
  'signals alone': () => import('./signals-alone.mjs'),
  'hand-written queue': () => import('./hand-written.mjs'),
};

export const PACKAGES = [
  'cockatiel', 'p-limit', 'p-queue', 'p-map', 'async-sema', 'async-mutex', 'fastq', 'bottleneck', 'opossum', 'effect',
];

/**
 * Who can do this, each as `{ name, ...use }`; ours is `bulkheads`. The call without a limit is
 * nobody's rival.
 */
export async function contendersFor(use) {
  const all = await Promise.all(Object.keys(LOAD).map((name) => contender(name, use)));
  return all.filter((one) => one !== undefined && one.name !== 'bare');
}

export async function contender(name, use) {
  const { uses } = await LOAD[name]();
  return use in uses ? { name, ...uses[use] } : undefined;
}
