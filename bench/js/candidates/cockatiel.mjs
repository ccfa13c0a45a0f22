import { bulkhead, timeout, TimeoutStrategy, wrap } from 'cockatiel';

const ten = () => bulkhead(10);
const bounded = {
  shown: 'wrap(bulkhead(10), timeout(60_000, TimeoutStrategy.Aggressive)).execute(fn)',
  make: () => wrap(bulkhead(10), timeout(60_000, TimeoutStrategy.Aggressive)),
  call: 'it.execute(fn)',
};
const unbounded = 'no bound on the wait';

export const uses = {
  exec: { shown: 'bulkhead(10).execute(fn)', make: ten, call: 'it.execute(fn)' },
  crowd: { shown: 'bulkhead(10, Infinity).execute(fn)', make: () => bulkhead(10, Infinity), call: 'it.execute(fn)', note: unbounded },
  callTimeout: bounded,
  ownSignal: {
    shown: 'bulkhead(10).execute(fn, signal)',
    make: ten,
    call: 'it.execute(fn, signal)',
    note: 'looks once whether it has aborted',
  },
  readSignal: {
    shown: 'bulkhead(10).execute(({ signal }) => …)',
    make: ten,
    call: 'it.execute(fn)',
    note: 'one signal for all calls, which never aborts',
  },
  readTimeout: bounded,
  full: { shown: 'bulkhead(1).execute(fn)', make: () => bulkhead(1), call: 'it.execute(fn)' },
  waiting: { shown: 'bulkhead(1, Infinity).execute(fn)', make: () => bulkhead(1, Infinity), call: 'it.execute(fn)', note: unbounded },
};
