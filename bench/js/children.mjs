// Samples in a Node: each in a fresh process.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FILE = fileURLToPath(new URL('child.mjs', import.meta.url));
const TIMEOUT_MS = 120_000;
// A million calls with a signal each need more than the heap is allowed of itself.
const FLAGS = ['--expose-gc', '--max-old-space-size=12000'];

/** `node` is the path of the one that shall take them. */
export function inChildren(node, quick) {
  return (id, name, engine) =>
    run(node, [...FLAGS, FILE, id, name, quick ? 'quick' : 'full'], engine).catch((error) => {
      // A peer that fails is missing; we must not fail.
      if (name === 'bulkheads') throw new Error(`${id} failed: ${firstLine(error)}`, { cause: error });
      return { missing: firstLine(error) };
    });
}

async function run(node, args, engine) {
  const env = { ...process.env, ...(engine && { BULKHEADS_ENGINE: engine }) };
  const { stdout } = await promisify(execFile)(node, args, { env, timeout: TIMEOUT_MS });
  return JSON.parse(stdout);
}

function firstLine({ killed, stderr, message }) {
  if (killed) return `has not finished within ${TIMEOUT_MS / 1000} s`;
  return /^\w*Error: .*$|^FATAL ERROR: .*$/m.exec(stderr)?.[0] ?? message.split('\n')[0];
}
