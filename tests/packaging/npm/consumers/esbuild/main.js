import { use } from '../use.mjs';

document.title = await use();
