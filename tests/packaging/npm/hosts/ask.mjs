// Starts a server of Next.js, on a free port, asks it what it says, and ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

const { port, close } = await freePort();
await close();
// A process group of its own: Next.js starts others.
const server = spawn(process.argv[2], process.argv.slice(3), {
  env: { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1' },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
try {
  await ready();
  const response = await fetch(`http://127.0.0.1:${port}/api`);
  console.log(await response.text());
} finally {
  process.kill(-server.pid);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  return { port: probe.address().port, close: () => new Promise((resolve) => probe.close(resolve)) };
}

function ready() {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (data) => {
      said += data;
      if (said.includes('Ready in')) resolve();
    });
    server.once('close', () => reject(new Error(`the server has ended: ${said}`)));
  });
}
