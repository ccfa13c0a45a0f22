// Lines as somebody types them, each in a process group of its own, so that what it starts ends
// with it.

import { spawn } from 'node:child_process';
import process from 'node:process';

const LONGEST = 90_000;

/** What the line prints on its standard output. Throws with all that it has printed if it fails. */
export function run(line, cwd, env, longest = LONGEST) {
  const { child, output } = start(line, cwd, env);
  const timer = setTimeout(() => stop(child), longest);
  return new Promise((resolve, reject) => {
    child.once('close', (status) => {
      clearTimeout(timer);
      if (status === 0) resolve(output.out);
      else reject(new Error(`  ${line} ended with ${status}\n${output.all}`));
    });
  });
}

/** Until it has said where its page is, and then until that was looked at. */
export async function withServer(line, cwd, env, act) {
  const { child, output } = start(line, cwd, env);
  try {
    const url = await new Promise((resolve, reject) => {
      child.stdout.on('data', () => {
        const found = output.out.match(/http:\/\/\S+/);
        if (found !== null) resolve(found[0]);
      });
      child.once('close', () => reject(new Error(`  ${line} has ended\n${output.all}`)));
    });
    return await act(url);
  } finally {
    stop(child);
  }
}

function start(line, cwd, env) {
  const child = spawn('bash', ['-c', line], { cwd, env, detached: true });
  const output = { out: '', all: '' };
  child.stdout.on('data', (data) => {
    output.out += data;
    output.all += data;
  });
  child.stderr.on('data', (data) => {
    output.all += data;
  });
  return { child, output };
}

function stop(child) {
  try {
    process.kill(-child.pid);
  } catch {
    // It has ended by itself.
  }
}
