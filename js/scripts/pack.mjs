// Packs what would be published on npm into target/packages: `bulkheads`, and an engine for each
// platform of which js/native holds the addon. `--all` (for a release) fails if one is missing.

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { platforms } from './platforms.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const out = join(root, 'target/packages');
/** The packages as folders, before they are packed. */
const folders = join(root, 'target/npm');

const { scripts: _, devDependencies: __, ...manifest } = JSON.parse(readFileSync(join(root, 'js/package.json'), 'utf8'));
const addonOf = ({ name }) => join(root, 'js/native', `bulkheads.${name}.node`);
const packageOf = ({ name }) => `@bulkheads/engine-${name}`;

const missing = platforms.filter((platform) => !existsSync(addonOf(platform))).map(({ name }) => name);
if (missing.length > 0) {
  const text = `js/native has no engine for ${missing.join(', ')}`;
  if (process.argv.includes('--all')) throw new Error(text);
  console.error(`--- ${text}: not packed`);
}

rmSync(folders, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of readdirSync(out)) if (name.endsWith('.tgz')) rmSync(join(out, name));
pack(facade());
for (const platform of platforms) {
  const folder = engine(platform);
  if (existsSync(addonOf(platform))) pack(folder);
}

/**
 * Engines are of the very same version: what passes between them and the facade is a matter of
 * their own.
 */
function facade() {
  const engines = Object.fromEntries(platforms.map((platform) => [packageOf(platform), manifest.version]));
  const folder = start('bulkheads', { ...manifest, optionalDependencies: engines }, join(root, 'README.md'));
  cpSync(join(root, 'js/dist'), join(folder, 'dist'), { recursive: true });
  return folder;
}

function engine(platform) {
  const { name, os, cpu, libc } = platform;
  const { version, license, repository, engines } = manifest;
  const folder = start(`engine-${name}`, {
    name: packageOf(platform),
    version,
    description: `The native engine of bulkheads for ${name}`,
    license,
    ...(repository === undefined ? {} : { repository }),
    type: 'commonjs',
    main: 'index.cjs',
    files: ['index.cjs', 'bulkheads.node'],
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    engines,
    // A shared library is loaded from a file: installers that keep packages in archives must take
    // this one out.
    preferUnplugged: true,
    publishConfig: { access: 'public' },
  });
  if (existsSync(addonOf(platform))) copyFileSync(addonOf(platform), join(folder, 'bulkheads.node'));
  writeFileSync(join(folder, 'index.cjs'), engineFile(version));
  writeFileSync(join(folder, 'README.md'), `# ${packageOf(platform)}\n\nA part of [bulkheads](https://www.npmjs.com/package/bulkheads), which installs it by itself where it fits.\n`);
  return folder;
}

/**
 * What is required: a JavaScript file, since bundlers that meet one of machine code give up. Those
 * that collect files find the addon by its path here. It is loaded afterwards, when its version has
 * been looked at.
 */
function engineFile(version) {
  return `'use strict';

const { join } = require('node:path');

exports.version = '${version}';
exports.load = () => {
  const addon = { exports: {} };
  process.dlopen(addon, join(__dirname, 'bulkheads.node'));
  return addon.exports;
};
`;
}

function start(name, contents, readme) {
  const folder = join(folders, name);
  mkdirSync(folder, { recursive: true });
  // Of licences npm would take one that is called just that.
  const packed = { ...contents, files: [...contents.files, 'LICENSE-*'] };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  if (readme !== undefined) copyFileSync(readme, join(folder, 'README.md'));
  for (const file of readdirSync(root)) if (file.startsWith('LICENSE-')) copyFileSync(join(root, file), join(folder, file));
  return folder;
}

function pack(folder) {
  const [{ filename, size, unpackedSize }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', out], { cwd: folder, encoding: 'utf8' }));
  console.error(`--- target/packages/${filename}: ${size} bytes, ${unpackedSize} unpacked`);
}
