// One sample in a process of its own, as JSON on the standard output:
// `node --expose-gc child.mjs JOB CANDIDATE [quick]`.

import { contender } from './candidates/index.mjs';
import { nodeHost } from './node-host.mjs';
import { job } from './rows/index.mjs';

const [id, name, mode] = process.argv.slice(2);
const { use, sample } = job(id);
// Some of what is measured would let the process end.
setInterval(() => {}, 60_000);

const figures = await sample(await contender(name, use), nodeHost(process.env.BULKHEADS_ENGINE, mode === 'quick'));
// Timers and calls that never end are left behind.
process.stdout.write(JSON.stringify(figures), () => process.exit());
