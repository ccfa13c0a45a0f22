// Loops over a candidate's call. Each candidate gets a function of its own, made from its source:
// in a shared one the host would have to look up at every call which library it is about to enter,
// and all of them would pay for it.

const AsyncFunction = (async () => {}).constructor;

/** One call after another, each awaited. `before` runs before each call, for the bare one too. */
export function oneAfterAnother({ call, statement = `await ${call};` }, before = '') {
  return new AsyncFunction('it', 'fn', 'count', 'signal', `for (let i = 0; i < count; i += 1) { ${before} ${statement} }`);
}

/** One call after another, each of which must be rejected: answers how many were. */
export function rejectedOneAfterAnother({ call }) {
  const body = `let rejected = 0; for (let i = 0; i < count; i += 1) { try { await ${call}; } catch { rejected += 1; } } return rejected;`;
  return new AsyncFunction('it', 'fn', 'count', body);
}

/** All calls at once, until the last has settled. */
export function allAtOnce({ call }) {
  const body = `const calls = new Array(count); for (let i = 0; i < count; i += 1) calls[i] = ${call}; await Promise.all(calls);`;
  return new AsyncFunction('it', 'fn', 'count', body);
}

/**
 * Calls that will be rejected sooner or later; `answered` hears of each. With `signals`, each has
 * its own, or all have one.
 */
export function enqueued({ call }) {
  const body = `for (let i = 0; i < count; i += 1) { const signal = signals?.[i % signals.length]; (${call}).catch(answered); }`;
  return new Function('it', 'fn', 'count', 'answered', 'signals', body);
}

/** Calls that nobody waits for; what they answer is kept. */
export function kept({ call }) {
  return new Function('it', 'fn', 'calls', `for (let i = 0; i < calls.length; i += 1) calls[i] = ${call};`);
}

/** One call. */
export function once({ call }) {
  return new Function('it', 'fn', 'signal', 'items', `return ${call};`);
}
