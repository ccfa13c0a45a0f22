// What is measured. A job is
//   use         what its candidates must be able to do
//   rounds      how many samples are taken of each
//   sample(use, host)         one sample, in a process (or a page) of its own: an object of numbers, or { missing: why }
//   assemble(measured, host)  { rows, curves } of the samples; `measured` has for each engine { engine, contenders, samples, missing },
//                             and `samples` a list of them by name

import * as crowd from './crowd.mjs';
import * as full from './full.mjs';
import * as map from './map.mjs';
import * as uncontended from './uncontended.mjs';

export const jobs = [uncontended, crowd, full, map].flatMap((file) => file.jobs);

export function job(id) {
  return jobs.find((each) => each.id === id);
}
