// The module inside the package: no second request, and no bundler that must know what to do with
// one.

import text from '../../../target/wasm/bulkheads_wasm_bg.wasm';

/**
 * As scripts/build.mjs writes it: a character a byte, of which the last three say that one more
 * follows.
 */
export function inlined(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let place = 0; place < text.length; place += 1) {
    let code = text.charCodeAt(place);
    if (code > 123) {
      place += 1;
      code = (code - 124) * 90 + text.charCodeAt(place) - 35;
    }
    // Modulo 256, as every number that is put there.
    bytes[length] = code - 43;
    length += 1;
  }
  return bytes.subarray(0, length);
}
