// The browsers: each is started once, when the first page wants it, and every page has a profile of
// its own.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../../ci/chromium.mjs';
import { HOME } from './install.mjs';

const LONGEST = 30_000;
const BROWSERS = { chromium: startChromium, firefox: startFirefox };
const started = new Map();

/** The title that the page gives itself. */
export async function look(browser, url) {
  if (!started.has(browser)) started.set(browser, BROWSERS[browser]());
  const { open } = await started.get(browser);
  const { page, close } = await open();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => complaints.push(message.text()));
  try {
    await page.goto(url);
    await page.waitForFunction('document.title !== ""', ...(browser === 'chromium' ? [undefined] : []), { timeout: LONGEST });
    return await page.title();
  } catch (error) {
    throw new Error(`  ${error.message}\n  the page says: ${complaints.join('; ') || 'nothing'}`, { cause: error });
  } finally {
    await close();
  }
}

export async function closeBrowsers() {
  for (const browser of started.values()) await (await browser).close();
}

async function startChromium() {
  const browser = await launch();
  return { open: () => opened(browser.newContext()), close: () => browser.close() };
}

/** Over WebDriver BiDi, which Debian's own build understands as it is. */
async function startFirefox() {
  const { launch: launchAny } = createRequire(join(HOME, 'package.json'))('puppeteer-core');
  const executablePath = execFileSync(fileURLToPath(new URL('../../ci/firefox.sh', import.meta.url)), { encoding: 'utf8' }).trim();
  const browser = await launchAny({ browser: 'firefox', executablePath, headless: true });
  return { open: () => opened(browser.createBrowserContext()), close: () => browser.close() };
}

async function opened(making) {
  const context = await making;
  return { page: await context.newPage(), close: () => context.close() };
}
