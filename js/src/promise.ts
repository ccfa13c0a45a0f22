// The host's own promise, as it was when the package was loaded.

/**
 * Code that replaces the global later (zone.js, bluebird) changes nothing that is promised: what
 * `then` and `new` do here is always of one kind. Async functions of the host answer with this one
 * too.
 */
// Running 7.4
export const HostPromise = Promise;
