// The dependencies of the experiment, over real HTTP: /fast answers after 2 ms, /slow after 300 ms,
// or after `?ms=`.
//
// It listens on several loopback ports. Node and Python use the first. A browser opens at most six
// connections to one host and port and queues the rest by itself, which would hide what the
// bulkheads do; so the page gives every call that is under way a port of its own: ten permits, ten
// ports. They are not the page's origin, so the answers carry a CORS header.

import { createServer } from 'node:http';
import { startHeartbeat } from './heartbeat.mjs';
import { answerLines, say } from './lines.mjs';

const PORTS = 10;
const DELAYS_MS = { '/fast': 2, '/slow': 300 };

function handle(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://lab');
  const delay = DELAYS_MS[pathname];
  if (delay === undefined) return response.writeHead(404).end();
  response.setHeader('Access-Control-Allow-Origin', '*');
  after(Number(searchParams.get('ms') ?? delay), () => response.end('done'));
}

/** Never early, as a bare timer may be by up to 1 ms: of 2 ms that would be half. */
function after(ms, act) {
  const due = performance.now() + ms;
  const check = () => {
    const left = due - performance.now();
    if (left > 0) setTimeout(check, left);
    else act();
  };
  setTimeout(check, ms);
}

function listen() {
  return new Promise((resolve, reject) => {
    const server = createServer({ keepAliveTimeout: 60_000 }, handle);
    server.once('error', reject);
    server.listen(0, '127.0.0.1', 512, () => resolve(server.address().port));
  });
}

let heartbeat = startHeartbeat();
say({ ports: await Promise.all(Array.from({ length: PORTS }, listen)) });
await answerLines({
  // How long this event loop stood still since it was last asked.
  async stall() {
    const stalled_ms = heartbeat.stop();
    heartbeat = startHeartbeat();
    return { stalled_ms };
  },
});
process.exit(); // the director has gone
