// Where the Chromium of the tests lies, and how it is started.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export const FLAGS = [
  '--headless',
  '--no-sandbox', // a container's root has no other way
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A page that nobody looks at does not have its timers held back: for what measures time. */
export const UNTHROTTLED = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

/** Its path; installs one if there is none. */
export function findChromium() {
  return execFileSync(fileURLToPath(new URL('chromium.sh', import.meta.url)), { encoding: 'utf8' }).trim();
}

/** Under Playwright's command. */
export function launch(...flags) {
  const { chromium } = createRequire(new URL('../../js/package.json', import.meta.url))('playwright-core');
  return chromium.launch({ executablePath: findChromium(), args: [...FLAGS, ...flags] });
}
