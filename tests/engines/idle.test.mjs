// What a bulkhead costs that nobody uses: its facade, its engine and its core together.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { ENGINES } from '../conformance/lib/engines.mjs';

const MOST = 2048;
const COUNT = 50_000;

/** In a process of its own, whose memory nothing else moves. */
const SOURCE = `
  const { Bulkhead } = require(process.argv[1]);
  const make = (count) => Array.from({ length: count }, (_, index) => new Bulkhead('idle', { maxConcurrent: 1 + index % 5, maxQueue: 10 }));
  const used = () => { gc(); gc(); const { heapUsed, external, rss } = process.memoryUsage(); return { heap: heapUsed + external, rss }; };
  const warm = make(1000);
  const before = used();
  const kept = make(${COUNT});
  const after = used();
  console.log(JSON.stringify({ heap: (after.heap - before.heap) / ${COUNT}, rss: (after.rss - before.rss) / ${COUNT}, kept: warm.length + kept.length }));
`;

const entry = fileURLToPath(new URL('../../js/dist/node.cjs', import.meta.url));

for (const kind of ENGINES) {
  test(`an idle bulkhead takes at most ${MOST} bytes, ${kind}`, () => {
    const env = { ...process.env, BULKHEADS_ENGINE: kind };
    const output = execFileSync(process.execPath, ['--expose-gc', '-e', SOURCE, entry], { env, encoding: 'utf8' });
    const { heap, rss } = JSON.parse(output);
    console.log(`${kind}: ${Math.round(heap)} bytes in the host's heap, ${Math.round(rss)} in all`);
    assert.ok(rss <= MOST, output);
  });
}
