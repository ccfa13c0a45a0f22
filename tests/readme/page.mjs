// Runs one module in headless Chromium and prints what it logs: `node page.mjs SNIPPET`. The
// package is the one that a bundler or an import map would take, found by its name.

import { readFileSync } from 'node:fs';
import { launch } from '../ci/chromium.mjs';

const root = new URL('../../', import.meta.url);
const entry = JSON.parse(readFileSync(new URL('js/package.json', root), 'utf8')).exports['.'].import.default;

const script = (body) => ({ contentType: 'text/javascript', body });
const files = {
  '/': {
    contentType: 'text/html',
    body: '<!doctype html><script type="importmap">{ "imports": { "bulkheads": "/bulkheads.mjs" } }</script>',
  },
  '/bulkheads.mjs': script(readFileSync(new URL(entry, new URL('js/', root)), 'utf8')),
  '/snippet.mjs': script(readFileSync(process.argv[2], 'utf8')),
};

const browser = await launch();
try {
  const page = await browser.newPage();
  page.on('console', (message) => (message.type() === 'log' ? console.log(message.text()) : console.error(message.text())));
  page.on('pageerror', (error) => console.error(error));
  await page.route('http://page.test/**', (route) => route.fulfill(files[new URL(route.request().url()).pathname] ?? { status: 404 }));
  await page.goto('http://page.test/');
  await page.evaluate(() => import('/snippet.mjs').then(() => undefined));
} finally {
  await browser.close();
}
