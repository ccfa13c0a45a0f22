// The rows that any host can measure.

import * as crowd from './crowd.mjs';
import * as curves from './curves.mjs';
import * as depth from './depth.mjs';
import * as full from './full.mjs';
import * as leaving from './leaving.mjs';
import * as map from './map.mjs';
import * as uncontended from './uncontended.mjs';

export const jobs = [uncontended, crowd, leaving, full, map, depth, curves].flatMap((file) => file.jobs);

export function job(id) {
  return jobs.find((each) => each.id === id);
}
