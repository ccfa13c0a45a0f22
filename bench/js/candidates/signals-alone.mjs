// What the host's own signals cost: each rejects a promise, and there is no queue.

export const uses = {
  waitSignal: {
    shown: "new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))",
    make: () => undefined,
    call: "new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))",
    note: 'no limiter: the signals themselves',
  },
};
