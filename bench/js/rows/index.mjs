// What is measured. A job is { id, measure() }, which answers { rows, curves }, or
//   use         what its candidates must be able to do
//   rounds      how many samples are taken of each
//   sample(use, host)         one sample, in a process (or a page) of its own: an object of numbers, or { missing: why }
//   assemble(measured, host)  { rows, curves } of the samples; `measured` has for each engine { engine, contenders, samples, missing },
//                             and `samples` a list of them by name
// With `isForNode` it cannot be done in a browser, with `isOurs` it is about ourselves.

import * as bundle from './bundle.mjs';
import * as crowd from './crowd.mjs';
import * as curves from './curves.mjs';
import * as depth from './depth.mjs';
import * as full from './full.mjs';
import * as leaving from './leaving.mjs';
import * as map from './map.mjs';
import * as memory from './memory.mjs';
import * as uncontended from './uncontended.mjs';

export const jobs = [uncontended, crowd, leaving, memory, full, map, depth, bundle, curves].flatMap((file) => file.jobs);

export function job(id) {
  return jobs.find((each) => each.id === id);
}
