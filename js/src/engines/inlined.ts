// The module inside the package: no second request, and no bundler that must know what to do with one.

import wasm from '../../../target/wasm/bulkheads_wasm_bg.wasm';

export function inlined(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(wasm.length / 2);
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = parseInt(wasm.slice(2 * place, 2 * place + 2), 16);
  return bytes;
}
