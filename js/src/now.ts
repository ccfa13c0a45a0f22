// The host's monotonic clock.

/** Milliseconds on it. */
export function now(): number {
  // Some worklets have no `performance`.
  return (globalThis as { performance?: Performance }).performance?.now() ?? Date.now() - ORIGIN;
}

const ORIGIN = Date.now();
