// The two partners of the checkout service: payment, which is healthy, and shipping, which can be
// made to hang.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const SHIPPING_MS = 30;
const PAYMENT_MS = 20;

export async function startPartners() {
  let hanging = false;
  const shipping = await start(SHIPPING_MS, ({ address }) => ({ address, price: 4.9 }), () => hanging);
  const payment = await start(PAYMENT_MS, ({ amount }) => ({ amount, paid: true }), () => false);
  return {
    urls: { SHIPPING_URL: shipping.url, PAYMENT_URL: payment.url },
    setHanging: (value) => (hanging = value),
    close: () => [shipping, payment].forEach(({ server }) => server.close().closeAllConnections()),
  };
}

async function start(delayMs, reply, isHanging) {
  const server = createServer(async (request, response) => {
    const body = await json(request);
    // A hanging partner takes the connection and the request, and says nothing more.
    if (isHanging()) return;
    response.writeHead(200, { 'Content-Type': 'application/json' });
    setTimeout(() => response.end(JSON.stringify(reply(body))), delayMs);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}
