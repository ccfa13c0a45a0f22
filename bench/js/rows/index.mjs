// What is measured. A job is { id, measure() }, which answers { rows, curves }, or
//   use         what its candidates must be able to do
//   rounds      how many samples are taken of each
//   sample(use, host)         one sample, in a process (or a page) of its own: an object of numbers, or { missing: why }
//   assemble(measured, host)  { rows, curves } of the samples; `measured` has for each engine { engine, contenders, samples, missing },
//                             and `samples` a list of them by name
// With `isOurs` it is about ourselves; with `isLong` a quick run leaves it out, which takes only
// the peers that `rivals` names, or a few; with `everyRuntime` it is measured on every Node and not
// only on one.

import * as bundle from './bundle.mjs';
import * as engine from './engine.mjs';
import { jobs as everywhere } from './everywhere.mjs';
import * as memory from './memory.mjs';

export const jobs = [...everywhere, ...memory.jobs, ...engine.jobs, ...bundle.jobs];

export function job(id) {
  return jobs.find((each) => each.id === id);
}
