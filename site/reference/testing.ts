/**
 * A virtual clock for tests of code that uses bulkheads.
 *
 * @module bulkheads/testing
 */
export * from '../../js/src/entries/testing.js';
