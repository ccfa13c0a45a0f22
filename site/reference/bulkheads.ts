/**
 * A budget of concurrent calls for each dependency, with a bounded queue and bounded waits. It is
 * the same wherever it runs: Node, browsers, workers, Deno, Bun and workerd.
 *
 * @module bulkheads
 */
export * from '../../js/src/api.js';
