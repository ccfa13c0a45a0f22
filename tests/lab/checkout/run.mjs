// The second part of the lab (`make lab-checkout`): the checkout service, in Node and in Python,
// while shipping hangs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import '../link.mjs';
import { quantile, send } from './load.mjs';
import { startPartners } from './partners.mjs';

const PYTHON = fileURLToPath(new URL('../../../target/venv/bin/python', import.meta.url));
const SERVICES = [
  { name: 'Node', command: process.execPath, file: 'service.mjs' },
  { name: 'Python', command: PYTHON, file: 'service.py' },
];
const PERMITS = 10; // of shipping, in both services
const CALL_TIMEOUT_MS = 2000; // the same; then others may hang
const START_MS = 20_000;
const NOISE_MS = 100; // of a busy machine; behind the hanging calls login would wait for seconds

const LOGIN = { path: '/login', body: { user: 'ada' } };
const DELIVERY = { path: '/checkout', body: { address: '12 Harbour Street', total: 30 } };
const PICKUP = { path: '/checkout', body: { total: 30 } };

const checks = [];
for (const service of SERVICES) await examine(service);
const failed = checks.filter(({ holds }) => !holds).length;
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);

async function examine({ name, command, file }) {
  const partners = await startPartners();
  const service = await startService(command, file, partners.urls);
  try {
    const found = await observe(service.origin, partners);
    report(name, found);
    for (const [sentence, holds] of judge(found)) check(`${name}: ${sentence}`, holds);
    console.log();
  } finally {
    await service.stop();
    partners.close();
  }
}

async function observe(origin, partners) {
  // The first requests pay for connections and compilation.
  for (const request of [LOGIN, DELIVERY, PICKUP]) await send(origin, { ...request, count: 100, everyMs: 4 });
  const healthy = await send(origin, { ...DELIVERY, count: 20, everyMs: 10 });
  const before = await send(origin, { ...LOGIN, count: 100, everyMs: 10 });

  partners.setHanging(true);
  const [delivery, pickup, login] = await Promise.all([
    send(origin, { ...DELIVERY, count: 200, everyMs: 8 }),
    send(origin, { ...PICKUP, count: 50, everyMs: 32 }),
    send(origin, { ...LOGIN, count: 100, everyMs: 16 }),
  ]);
  return { healthy, before, delivery, pickup, login };
}

function report(name, { healthy, before, delivery, pickup, login }) {
  console.log(`The checkout service in ${name}`);
  const rows = [
    ['shipping is well', '', 'sent', '200', '503', '504', 'median', 'p99'],
    row('', 'checkout, delivered', healthy),
    row('', 'login', before),
    ['shipping hangs', '', '', '', '', '', '', ''],
    row('', 'checkout, delivered', delivery),
    row('', 'checkout, picked up', pickup),
    row('', 'login', login),
  ];
  for (const [when, what, ...figures] of rows) {
    console.log(`  ${(when || `  ${what}`).padEnd(23)}${figures.map((figure) => String(figure).padStart(11)).join('')}`);
  }
  const rejected = delivery.findLast(({ status }) => status === 503);
  if (rejected) console.log(`  a rejection: 503, Retry-After: ${rejected.headers.get('retry-after')}, ${rejected.text}`);
}

function row(when, what, answers) {
  const counts = [200, 503, 504].map((wanted) => answers.filter(({ status }) => status === wanted).length);
  const times = [0.5, 0.99].map((share) => `${quantile(answers, share).toFixed(1)} ms`);
  return [when, what, answers.length, ...counts, ...times];
}

function judge({ healthy, before, delivery, pickup, login }) {
  const all = (answers, wanted) => answers.every(({ status }) => status === wanted);
  const timedOut = delivery.filter(({ status }) => status === 504);
  const rejected = delivery.filter(({ status }) => status === 503);
  return [
    ['while shipping is well every order is taken', all(healthy, 200)],
    [`while it hangs as many calls wait for it as it has permits: ${timedOut.length}`, timedOut.length >= PERMITS && timedOut.length <= mostHanging(delivery)],
    [`all other deliveries are rejected: ${rejected.length}`, rejected.length === delivery.length - timedOut.length],
    ['a rejection is a 503 with Retry-After that names the bulkhead', rejected.every(namesShipping)],
    ['orders that need no shipping are all taken', all(pickup, 200)],
    ['everybody can log in', all(login, 200)],
    [`login keeps its latency (median within ${NOISE_MS} ms)`, quantile(login, 0.5) < quantile(before, 0.5) + NOISE_MS],
  ];
}

/** On a busy machine the last calls may leave when the time of the first is up. */
function mostHanging(delivery) {
  const took = delivery.at(-1).sentAt - delivery[0].sentAt;
  return PERMITS * (1 + Math.floor(took / CALL_TIMEOUT_MS));
}

function namesShipping({ headers, text }) {
  const { error, bulkhead } = JSON.parse(text);
  return headers.get('retry-after') === '1' && bulkhead === 'shipping' && ['full', 'queue_timeout'].includes(error);
}

function check(sentence, holds) {
  checks.push({ sentence, holds });
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${sentence}`);
}

async function startService(command, file, urls) {
  const PORT = await freePort();
  const service = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(command, [service], { env: { ...process.env, ...urls, PORT }, stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${PORT}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  for (const start = performance.now(); !(await answers(origin)); ) {
    if (child.exitCode !== null || performance.now() - start > START_MS) {
      await stop();
      throw new Error(`${file} does not answer on port ${PORT}`);
    }
  }
  return { origin, stop };
}

async function answers(origin) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return fetch(`${origin}/health`).then(({ ok }) => ok, () => false);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await once(probe.close(), 'close');
  return port;
}
