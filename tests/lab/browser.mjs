// Opens the page of the lab in a headless Chromium, and passes each line of JSON on to it.
// usage: node browser.mjs CHROMIUM PORT..., then lines of JSON (lines.mjs)
//
// The page fetches its commands over HTTP rather than getting them from a debugger: one that
// watches the network, as Playwright's does, costs every request a third more, and what is to be
// timed here is a browser as people use it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FLAGS, UNTHROTTLED } from '../ci/chromium.mjs';
import { answerLines, say } from './lines.mjs';
import { sendFile } from './site.mjs';

const PATIENCE_MS = 60_000;

const [chromium, ...ports] = process.argv.slice(2);
let page; // the open request of the page that asks for a command
let answered; // what to do with the page's next answer

function nextAnswer() {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the page has not answered in ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
    answered = (answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
  });
}

async function handle(request, response) {
  const { pathname } = new URL(request.url, 'http://lab');
  if (pathname !== '/exchange') return sendFile(pathname, response);
  page = response;
  answered(JSON.parse(await text(request)));
}

const passOn = (name) => (options) => {
  const answer = nextAnswer();
  page.end(JSON.stringify({ do: name, ...options }));
  return answer;
};

const hello = nextAnswer();
const site = createServer(handle).listen(0, '127.0.0.1');
await once(site, 'listening');
const profile = await mkdtemp(join(tmpdir(), 'bulkheads-lab-'));
const url = `http://127.0.0.1:${site.address().port}/?ports=${ports}`;
const browser = spawn(chromium, [...FLAGS, ...UNTHROTTLED, `--user-data-dir=${profile}`, url], { stdio: 'ignore' });
const ended = once(browser, 'exit');
ended.then(([code]) => answered({ error: `${chromium} ended with exit code ${code}` }));

try {
  say(await hello);
  await answerLines({ time: passOn('time'), round: passOn('round') });
} catch (error) {
  say({ error: error.message });
} finally {
  browser.kill();
  await ended;
  // Its helper processes may write there for a moment longer.
  await rm(profile, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  process.exit();
}
