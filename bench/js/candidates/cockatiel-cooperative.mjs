import { bulkhead, timeout, TimeoutStrategy, wrap } from 'cockatiel';

const bounded = {
  shown: 'wrap(bulkhead(10), timeout(60_000, TimeoutStrategy.Cooperative)).execute(fn)',
  make: () => wrap(bulkhead(10), timeout(60_000, TimeoutStrategy.Cooperative)),
  call: 'it.execute(fn)',
  note: 'aborts a signal; the caller is not answered if the work ignores it',
};

export const uses = { callTimeout: bounded, readTimeout: bounded };
