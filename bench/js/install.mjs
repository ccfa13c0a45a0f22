// Installs what package-lock.json says, unless that is what is installed already.

import { execFileSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('./', import.meta.url);

export function install() {
  if (!existsSync(new URL('../../js/dist/node.mjs', folder))) throw new Error('js/dist is missing; run make build');
  // npm writes this file last, so it is older than a lock file that has changed since, and absent after a broken install.
  const installed = new URL('node_modules/.package-lock.json', folder);
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(new URL('package-lock.json', folder)).mtimeMs) return;
  process.stderr.write('npm ci in bench/js/\n');
  execFileSync('npm', ['ci', '--no-fund', '--no-audit'], { cwd: fileURLToPath(folder), stdio: ['ignore', 2, 2] });
  utimesSync(installed, new Date(), new Date());
}
