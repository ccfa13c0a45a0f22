// Some environments of test runners have none of these. They are gone before the package is
// imported, and stay away.
for (const name of ['TextDecoder', 'TextEncoder', 'performance', 'AbortController', 'AbortSignal', 'EventTarget', 'structuredClone', 'queueMicrotask']) {
  delete globalThis[name];
  if (name in globalThis) throw new Error(`${name} does not go away`);
}

import('../use.mjs').then(async ({ use }) => console.log(await use()));
