import CircuitBreaker from 'opossum';

const note = 'a circuit breaker with statistics; its capacity has no queue';

function use(options) {
  const make = () => new CircuitBreaker((work) => work(), options);
  const shown = `new CircuitBreaker((work) => work(), ${JSON.stringify(options).replaceAll('"', '')}).fire(fn)`;
  return { shown, make, call: 'it.fire(fn)', note };
}

export const uses = {
  exec: use({ capacity: 10, timeout: false }),
  callTimeout: use({ capacity: 10, timeout: 60_000 }),
  // It must not open: what is measured is its answer at capacity.
  full: use({ capacity: 1, timeout: false, volumeThreshold: 2 ** 31 }),
};
