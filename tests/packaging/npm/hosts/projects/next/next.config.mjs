// What the guide says, and that Next.js itself is installed above the project.
import { fileURLToPath } from 'node:url';
import guide from './guide.config.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

export default { ...guide, outputFileTracingRoot: root, turbopack: { root } };
