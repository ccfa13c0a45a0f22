// Samples in Chromium: each in a page of a site of its own, for which the browser starts a process
// of its own.
//
// The page fetches its commands over HTTP. A debugger, such as Playwright's, hears of every
// rejected promise, and makes it ten times as dear.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, FLAGS, UNTHROTTLED } from '../../tests/ci/chromium.mjs';
import { openSite } from './site.mjs';

const OWN_FLAGS = [...FLAGS, ...UNTHROTTLED, '--site-per-process', '--js-flags=--expose-gc'];
const TIMEOUT_MS = 60_000;

/** `{ take, version, close }` */
export async function openPages(quick) {
  const executable = findChromium();
  const site = await openSite();
  let browser = start(executable, site);
  return {
    version: () => /Chrome\/([\d.]+)/.exec(site.agent())?.[1],
    take: async (id, name) => {
      const sample = await orLate(site.command({ id, name, quick }));
      if (sample.isLate) {
        // Stuck, or out of memory.
        await stop(browser);
        site.forget();
        browser = start(executable, site);
      }
      const missing = sample.error ?? sample.missing;
      // A peer that fails is missing; we must not fail.
      if (name === 'bulkheads' && missing !== undefined) throw new Error(`${id}: ${missing}`);
      return missing === undefined ? sample : { missing };
    },
    close: async () => {
      await stop(browser);
      site.close();
    },
  };
}

function start(executable, site) {
  const profile = mkdtempSync(join(tmpdir(), 'bulkheads-bench-'));
  const child = spawn(executable, [...OWN_FLAGS, `--user-data-dir=${profile}`, site.nextPage()], { stdio: 'ignore' });
  return { child, profile, ended: once(child, 'exit') };
}

async function stop({ child, profile, ended }) {
  child.kill();
  await ended;
  // Its helper processes may write there for a moment longer.
  await rm(profile, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
}

async function orLate(answer) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, { isLate: true, missing: `has not finished within ${TIMEOUT_MS / 1000} s` });
  });
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  return first;
}
