import CircuitBreaker from 'opossum';

const note = 'a circuit breaker with statistics; its capacity has no queue';

function use(options) {
  const make = () => new CircuitBreaker((work) => work(), options);
  const shown = `new CircuitBreaker((work) => work(), ${JSON.stringify(options).replaceAll('"', '')}).fire(fn)`;
  return { shown, make, call: 'it.fire(fn)', note };
}

/** The work is the breaker's own. */
const own = {
  shown: 'new CircuitBreaker(fn, {capacity:10,timeout:false}).fire()',
  make: ({ fn }) => new CircuitBreaker(fn, { capacity: 10, timeout: false }),
  call: 'it.fire()',
  note,
};

export const uses = {
  exec: use({ capacity: 10, timeout: false }),
  wrap: own,
  callTimeout: use({ capacity: 10, timeout: 60_000 }),
  // It must not open: what is measured is its answer at capacity.
  full: use({ capacity: 1, timeout: false, volumeThreshold: 2 ** 31 }),
};
