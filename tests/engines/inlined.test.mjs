// V8 11 (Node 20) inlines calls of WebAssembly functions that have at most one result. When that
// result is a reference and the calling code is deoptimized during the call, it aborts the process
// ("unreachable code"), once in some thousand runs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const exported = readFileSync(new URL('../../target/wasm/bulkheads_wasm_bg.wasm.d.ts', import.meta.url), 'utf8');

test('no function of the WebAssembly module has a reference as its only result', () => {
  assert.match(exported, /export const stats: .* => \[number, number\];/);
  assert.doesNotMatch(exported, /=> any;/);
});
