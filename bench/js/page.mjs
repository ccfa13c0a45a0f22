// The page: takes one sample when it is told to.

import { browserHost } from './browser-host.mjs';
import { contender } from './candidates/index.mjs';
import { job } from './rows/everywhere.mjs';

globalThis.takeSample = async (id, name, quick) => {
  const { use, sample } = job(id);
  return sample(await contender(name, use), browserHost(quick));
};
