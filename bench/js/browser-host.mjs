// What the jobs take from where they run: a page. It needs Chromium's --js-flags=--expose-gc.

export function browserHost(quick) {
  return {
    engine: 'wasm',
    quick,
    lengths: 5,
    gc: () => globalThis.gc({ type: 'minor' }),
    fullGc: () => globalThis.gc(),
    nextTurn: messages(),
  };
}

/** A page has no `setImmediate`; a message is the next best. */
function messages() {
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => waiting.shift()(1);
  return () => new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(undefined);
  });
}
