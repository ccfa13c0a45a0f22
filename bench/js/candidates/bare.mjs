// The same work without any limit.

const plain = { shown: 'fn()', make: () => undefined, call: 'fn()' };
const reading = { shown: 'fn({ signal })', make: () => new AbortController(), call: 'fn(it)' };

export const uses = { exec: plain, wrap: plain, permit: plain, callTimeout: plain, ownSignal: plain, readSignal: reading, readTimeout: reading };
