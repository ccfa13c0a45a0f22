// The queue that people write by hand: an array of waiters and one `setTimeout` for each.

export class HandWrittenQueue {
  constructor({ maxConcurrent, maxQueue = Infinity, timeoutMs }) {
    this.maxConcurrent = maxConcurrent;
    this.maxQueue = maxQueue;
    this.timeoutMs = timeoutMs;
    this.active = 0;
    this.waiters = [];
  }

  async exec(fn) {
    if (this.active < this.maxConcurrent) this.active += 1;
    else await this.turn();
    try {
      return await fn();
    } finally {
      this.next();
    }
  }

  turn() {
    if (this.waiters.length >= this.maxQueue) throw new Error('the queue is full');
    return new Promise((resolve, reject) => {
      const waiter = { resolve, timer: undefined };
      waiter.timer = setTimeout(() => {
        const index = this.waiters.findIndex((other) => other === waiter);
        if (index !== -1) this.waiters.splice(index, 1);
        reject(new Error('timed out in the queue'));
      }, this.timeoutMs);
      this.waiters.push(waiter);
    });
  }

  next() {
    const waiter = this.waiters.shift();
    if (waiter === undefined) {
      this.active -= 1;
      return;
    }
    clearTimeout(waiter.timer); // the permit passes on
    waiter.resolve();
  }
}

const queue = (options) => ({ timeoutMs = 60_000 } = {}) => new HandWrittenQueue({ timeoutMs, ...options });
const call = 'it.exec(fn)';

export const uses = {
  exec: { shown: 'new HandWrittenQueue({ maxConcurrent: 10, timeoutMs }).exec(fn)', make: queue({ maxConcurrent: 10 }), call },
  crowd: { shown: 'new HandWrittenQueue({ maxConcurrent: 10, timeoutMs }).exec(fn)', make: queue({ maxConcurrent: 10 }), call },
  full: {
    shown: 'new HandWrittenQueue({ maxConcurrent: 1, maxQueue: 0, timeoutMs }).exec(fn)',
    make: queue({ maxConcurrent: 1, maxQueue: 0 }),
    call,
  },
  waitTimeout: { shown: 'new HandWrittenQueue({ maxConcurrent: 1, timeoutMs }).exec(fn)', make: queue({ maxConcurrent: 1 }), call },
  waiting: { shown: 'new HandWrittenQueue({ maxConcurrent: 1, timeoutMs }).exec(fn)', make: queue({ maxConcurrent: 1 }), call },
};
