import { use } from '../use.mjs';

postMessage(await use());
