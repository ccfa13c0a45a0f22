// The package in a context of its own, as Jest loads it: its errors are of that context's classes,
// whoever finds the fault.
const { readFileSync } = require('node:fs');
const { createContext, runInContext } = require('node:vm');

const file = require.resolve('bulkheads');
const context = createContext({ process, performance, setTimeout, clearTimeout, AbortController, console, Buffer });
const module_ = { exports: {} };
runInContext(`(function (module, exports, require, __filename) {${readFileSync(file, 'utf8')}\n})`, context, { filename: file })(module_, module_.exports, require, file);
context.Bulkhead = module_.exports.Bulkhead;

const classOf = `(act) => {
  try { act(); } catch (error) { return [RangeError, TypeError].find((known) => error instanceof known)?.name ?? 'of another realm'; }
}`;
const acts = `[
  () => new Bulkhead('shipping', { maxConcurrent: 0 }),
  () => new Bulkhead('shipping', { maxConcurrent: 1 }).resize(-1),
  () => new Bulkhead('shipping', { maxConcurrent: 1 }).tryAcquire(0),
  () => new Bulkhead('shipping', { maxConcurrent: '1' }),
]`;
console.log(runInContext('Bulkhead.engine', context), ...runInContext(`${acts}.map(${classOf})`, context));
