// The browser surface of the lab: the same experiment, with the browser's own fetch.

import { Bulkhead } from 'bulkheads';
import { runRound, timeBareCalls } from './experiment.mjs';

const ports = new URLSearchParams(location.search).get('ports').split(',');
const plan = await (await fetch('/experiment.json')).json();
const lab = { Bulkhead, plan, get: makeGet(ports) };
const handlers = {
  time: (options) => timeBareCalls(lab, options),
  round: (options) => runRound(lab, options),
};

const [, version] = /Chrome\/(\d+)/.exec(navigator.userAgent);
let answer = { runtime: `Chromium ${version}`, engine: Bulkhead.engine };
for (;;) {
  const { do: name, ...options } = await exchange(answer);
  answer = await handlers[name](options).catch((error) => ({ error: String(error.stack) }));
}

/**
 * Every call under way has a port of its own (server.mjs says why), and the port last used first:
 * its connection is warm.
 */
function makeGet(free) {
  return async (path, ms) => {
    const port = free.pop();
    if (port === undefined) throw new Error('more calls under way than ports');
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}?ms=${ms}`, { cache: 'no-store' });
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      return await response.text();
    } finally {
      free.push(port);
    }
  };
}

/** Hands over the last answer and gets the next command. */
async function exchange(answer) {
  const response = await fetch('/exchange', { method: 'POST', body: JSON.stringify(answer) });
  return response.json();
}
