import { Sema } from 'async-sema';

const shown = 'sema = new Sema(10); await sema.acquire(); try { await fn() } finally { sema.release() }';
const call = '(async () => { await it.acquire(); try { return await fn(); } finally { it.release(); } })()';
const statement = 'await it.acquire(); try { await fn(); } finally { it.release(); }';
const note = 'no bound on the queue nor on the wait';

export const uses = {
  exec: { shown, make: () => new Sema(10), call, statement },
  permit: { shown, make: () => new Sema(10), call, statement },
  crowd: { shown, make: () => new Sema(10), call, note },
  waiting: { shown: shown.replace('10', '1'), make: () => new Sema(1), call, note },
};
