// A checkout service that calls two partners, each behind a bulkhead of its own. When one of them
// hangs, its bulkhead fills up and turns further calls away at once; calls that do not need that
// partner are not affected.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Bulkhead, BulkheadError } from 'bulkheads';

const { PORT, SHIPPING_URL, PAYMENT_URL } = process.env;

// Little's law: 25 quotes a second at 0.25 s hold 7 permits; with a third of head-room, 10. A call
// waits well below its own time-out, since nobody waits long for a price.
const shipping = new Bulkhead('shipping', { maxConcurrent: 10, maxQueue: 20, timeoutMs: 300, callTimeoutMs: 2000 });
const payment = new Bulkhead('payment', { maxConcurrent: 15, maxQueue: 30, timeoutMs: 300, callTimeoutMs: 2000 });

const ROUTES = { 'GET /health': health, 'POST /login': login, 'POST /checkout': checkout };

async function checkout({ address, total }, signal) {
  // Orders that are picked up need no shipping, so shipping cannot stop them.
  const delivery = address ? await quoteShipping(address, signal) : 0;
  const receipt = await charge(total + delivery, signal);
  return { delivery, receipt };
}

// `signal` says that our caller has hung up; the signal handed to the work also says that the call
// has taken too long.
async function quoteShipping(address, signal) {
  const quote = await shipping.exec(({ signal }) => post(`${SHIPPING_URL}/quotes`, { address }, signal), { signal });
  return quote.price;
}

function charge(amount, signal) {
  return payment.exec(({ signal }) => post(`${PAYMENT_URL}/charges`, { amount }, signal), { signal });
}

async function login({ user }) {
  return { user, session: randomUUID() };
}

async function health() {
  return { shipping: shipping.stats(), payment: payment.stats() };
}

async function post(url, body, signal) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

const server = createServer(async (request, response) => {
  const hungUp = new AbortController();
  response.once('close', () => response.writableEnded || hungUp.abort());
  const send = (status, body, headers = {}) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

  const route = ROUTES[`${request.method} ${request.url}`];
  if (!route) return send(404, { error: 'not_found' });
  try {
    const input = request.method === 'POST' ? await json(request) : {};
    send(200, await route(input, hungUp.signal));
  } catch (error) {
    if (hungUp.signal.aborted) return; // nobody is left to answer
    sendError(error, send);
  }
});

function sendError(error, send) {
  if (!(error instanceof BulkheadError)) return send(502, { error: 'bad_gateway', message: error.message });
  const body = { error: error.code, bulkhead: error.bulkhead, message: error.message };
  // A rejected call never started: it is safe to try again, later. One that timed out may have had
  // its effect.
  if (error.isRejection) send(503, body, { 'Retry-After': '1' });
  else send(504, body);
}

process.once('SIGTERM', async () => {
  server.close();
  await Promise.all([shipping.drain(), payment.drain()]);
  server.closeAllConnections();
});

server.listen(Number(PORT), '127.0.0.1');
