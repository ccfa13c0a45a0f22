// The npm package as its users get it: packed, installed into a project of theirs, imported, required, typed and bundled.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const js = fileURLToPath(new URL('../../js/', import.meta.url));
const tools = join(js, 'node_modules/.bin');
const project = mkdtempSync(join(tmpdir(), 'bulkheads-consumer-'));
const installed = join(project, 'node_modules/bulkheads');

const seen = (file, env) => JSON.parse(run(process.execPath, [file], env));

function run(file, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: project, encoding: 'utf8', env: { ...process.env, ...env } });
  assert.equal(status, 0, `${file} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

before(() => {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: js, encoding: 'utf8' }).trim();
  cpSync(new URL('consumer/', import.meta.url), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  run('npm', ['install', '--offline', '--silent', '--no-audit', '--no-fund', `./${packed}`]);
});
after(() => rmSync(project, { recursive: true, force: true }));

test('it holds what it needs and neither sources nor tests', () => {
  const names = readdirSync(installed).sort();
  assert.deepEqual(names.filter((name) => !/^(LICENSE|README)/.test(name)), ['dist', 'native', 'package.json']);
});

for (const file of ['use.mjs', 'use.cjs']) {
  test(`${file} runs on the native engine`, () => {
    assert.deepEqual(seen(file), ['ran', 'full', 'native', 'function']);
  });

  test(`${file} runs on WebAssembly when told to`, () => {
    assert.deepEqual(seen(file, { BULKHEADS_ENGINE: 'wasm' }), ['ran', 'full', 'wasm', 'function']);
  });
}

for (const [module, resolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) {
  test(`its types serve a project with module resolution ${resolution}`, () => {
    const files = resolution === 'nodenext' ? ['use.ts', 'use-cjs.cts'] : ['use.ts'];
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,esnext.disposable,dom'];
    run(join(tools, 'tsc'), [...options, '--module', module, '--moduleResolution', resolution, ...files]);
  });
}

test('it bundles for browsers without a plugin', () => {
  run(join(tools, 'esbuild'), ['use.mjs', '--bundle', '--format=esm', '--platform=browser', '--outfile=bundle.mjs', '--log-level=error']);
  assert.deepEqual(seen('bundle.mjs'), ['ran', 'full', 'wasm', 'function']);
});

test('without an addon for the platform it runs on WebAssembly', () => {
  rmSync(join(installed, 'native'), { recursive: true });
  assert.ok(!existsSync(join(installed, 'native')));
  for (const file of ['use.mjs', 'use.cjs']) assert.deepEqual(seen(file), ['ran', 'full', 'wasm', 'function']);
});
