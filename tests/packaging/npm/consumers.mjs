// The consumers: a folder of `consumers`, what is typed there or which page is opened, and what
// that has to say in its last line or as its title: a text, a pattern, or a number that must not be
// exceeded.

const NATIVE = 'ran full native';
const WASM = 'ran full wasm';
const MUSL = 'linux-x64-musl';

const ESBUILD = 'esbuild main.js --bundle --format=esm --outfile=bundle.js --log-level=error';
const FOR_NODE = 'esbuild --bundle --platform=node --log-level=error';
const FOR_WORKERD = '--conditions=workerd,worker,browser --loader:.wasm=copy --asset-names=[name]';
const DENO = 'deno run --no-prompt';
const TSC_5_2 = 'node ../../node_modules/typescript-5.2/bin/tsc';
const MANIFEST = "const { scripts, dependencies } = require('bulkheads/package.json'); JSON.stringify({ scripts, dependencies })";
/** How many lines of the package a bundler has left in. */
const linesIn = (bundle) => `grep -ci bulkhead ${bundle} || true`;

const NOT_INSTALLED = /^ran full wasm .*@bulkheads\/engine-\S+: not installed/;
/** Which line brings the addon back that a bundle has lost. */
const LOST = /^ran full wasm .*: not found from the bundle \S+ \(.+\): copy node_modules\/@bulkheads\/engine-\S+\/bulkheads\.node beside it, or leave bulkheads out/;
const NOT_ALLOWED = /allow 'wasm-unsafe-eval' in script-src/;
const STRICT = { 'content-security-policy': "script-src 'self'" };
const STRICT_BUT_WASM = { 'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'" };

export const CONSUMERS = [
  ...[20, 22, 24, 26].flatMap((version) => [
    inNode(`Node ${version}, import`, `node-${version} import.mjs`, NATIVE),
    inNode(`Node ${version}, require`, `node-${version} require.cjs`, NATIVE),
    inNode(`Node ${version}, both in one program`, `node-${version} both.mjs`, 'true true'),
  ]),
  inNode('Node, source maps', 'node-24 --enable-source-maps trace.mjs', /\/src\/options\.ts:\d+:\d+\)?$/),
  inNode('Node, installed from the archives', 'node-20 import.mjs', NATIVE, { project: 'archives' }),
  inNode('Node on musl', 'node-musl import.mjs', NATIVE, { project: 'musl', only: MUSL }),

  // What other hosts than Node may lack, and contexts with classes of their own.
  ...['native', 'wasm'].flatMap((engine) => [
    inNode(`bare globals, ${engine}`, `BULKHEADS_ENGINE=${engine} node-20 bare.cjs`, `ran full ${engine}`),
    inNode(`errors are of the caller's realm, ${engine}`, `BULKHEADS_ENGINE=${engine} node-20 realm.cjs`, `${engine} RangeError RangeError RangeError TypeError`),
  ]),
  inNode('every engine is required by its name', 'node-20 names.cjs', 'as many names as platforms'),

  // Where the engine for the machine cannot be had.
  inNode('Node on musl, installed for glibc', 'node-musl why.mjs', NOT_INSTALLED, { only: MUSL }),
  inNode('optional dependencies left out', 'node-20 why.mjs', NOT_INSTALLED, { project: 'left-out' }),
  inNode('installed for another platform', 'node-20 why.mjs', NOT_INSTALLED, { project: 'foreign' }),
  inNode('the engine is garbage', 'node-20 why.mjs', /^ran full wasm .*: .*bulkheads\.node: (file too short|invalid ELF header)/, { project: 'garbage' }),
  inNode('the engine is of another version', 'node-20 why.mjs', /^ran full wasm .*: it is version 0\.0\.1, and bulkheads is/, { project: 'outdated' }),
  inNode('no engine is for this machine', 'node-20 -r ./elsewhere.cjs why.mjs', /^ran full wasm .*-riscv64\S*: no engine is published for this platform$/),

  inNode('what the package holds', 'echo $(ls ../node_modules/bulkheads)', 'LICENSE-APACHE LICENSE-MIT README.md dist package.json'),
  inNode('what an engine holds', 'echo $(ls ../node_modules/@bulkheads/*)', 'LICENSE-APACHE LICENSE-MIT README.md bulkheads.node index.cjs package.json'),
  inNode('no install script, and no dependency but the engines', `node -p "${MANIFEST}"`, '{}'),
  inNode('publint', 'publint run ../node_modules/bulkheads --strict --pack false', 'All good!'),
  inNode('publint, an engine', 'publint run ../node_modules/@bulkheads/* --strict --pack false', 'All good!'),
  inNode('are the types wrong', 'attw $PACKAGES/bulkheads-[0-9]*.tgz --no-definitely-typed --profile node16 --quiet', ''),
  consumer('TypeScript, strict, node16', { folder: 'typescript', lines: ['tsc -p node16.json'], says: '' }),
  consumer('TypeScript, strict, bundler', { folder: 'typescript', lines: ['tsc -p bundler.json'], says: '' }),
  consumer('TypeScript 5.2, strict, node16', { folder: 'typescript', lines: [`${TSC_5_2} -p node16.json`], says: '' }),

  inNode('Bun', 'bun import.mjs', NATIVE),
  inNode('Bun, installed by Bun', '(cd .. && bun add bulkheads) && bun import.mjs', NATIVE, { project: 'by-bun' }),
  inNode('Deno, addons allowed', `${DENO} --allow-ffi --allow-read import.mjs`, NATIVE),
  inNode('Deno, nothing allowed', `${DENO} why.mjs`, /^ran full wasm .*: Deno: it may not load addons; allow it with --allow-ffi --allow-read$/),
  inNode('Deno, installed by Deno', `(cd .. && deno add npm:bulkheads) && ${DENO} --allow-ffi --allow-read import.mjs`, NATIVE, { project: 'by-deno' }),
  inWorkerd('workerd', `${ESBUILD} ${FOR_WORKERD}`, WASM),
  inWorkerd('workerd, bundled as for a browser', `${ESBUILD} && cp ../node_modules/bulkheads/dist/bulkheads.wasm .`, /needs the export condition workerd/, { project: 'again' }),
  inNode('esbuild for Node, to CommonJS', `${FOR_NODE} require.cjs --outfile=bundle.cjs && node-20 bundle.cjs`, NATIVE),
  inNode('esbuild for Node, to one ES module', `${FOR_NODE} --format=esm import.mjs --outfile=bundle.mjs && node-20 bundle.mjs`, NATIVE),
  ...['cjs', 'esm'].flatMap((format) => [
    shipped(`a bundle that is not the main program, shipped alone, ${format}`, format, 'cp ../node_modules/@bulkheads/*/bulkheads.node $SHIPPED', NATIVE),
    shipped(`the same without the addon, ${format}`, format, 'true', LOST),
  ]),

  consumer('what a browser loads, in bytes', { folder: 'esbuild', lines: ['esbuild size.js --bundle --minify --format=esm | gzip -9 | wc -c'], says: 34_000 }),
  leavingNothing('esbuild', 'esbuild unused.js --bundle --format=esm --outfile=unused.out.js --log-level=error', 'unused.out.js'),
  leavingNothing('rollup', 'rollup -c --silent -i ../esbuild/unused.js -o unused.out.js', 'unused.out.js'),
  leavingNothing('webpack', 'webpack -o other', 'other/unused.js'),
  inBrowser('esbuild', 'esbuild', { lines: [ESBUILD] }),
  inBrowser('Rollup', 'rollup', { lines: ['rollup -c --silent'] }),
  inBrowser('webpack', 'webpack', { lines: ['webpack'] }),
  inBrowser('Vite, build', 'vite', { lines: ['vite build --base ./ --logLevel warn'], page: 'dist/index.html' }),
  inBrowser('Vite, dev', 'vite', { server: 'vite --port 0 --host 127.0.0.1' }),
  inBrowser('a page without a bundler', 'page'),
  inBrowser('a Web Worker', 'worker', { lines: [ESBUILD] }),
  inBrowser('an audio worklet', 'audio-worklet', { lines: [ESBUILD] }),
  inBrowser('a service worker', 'service-worker', { lines: [ESBUILD] }),
  inBrowser("a strict Content-Security-Policy with 'wasm-unsafe-eval'", 'csp', { headers: STRICT_BUT_WASM, says: '1' }),
  inBrowser('a strict Content-Security-Policy without it', 'csp', { headers: STRICT, says: NOT_ALLOWED }),
  inBrowser('Firefox', 'page', { browser: 'firefox' }),
  inBrowser('Firefox, a Web Worker', 'worker', { lines: [ESBUILD], browser: 'firefox', project: 'again' }),
  inBrowser("Firefox, a strict Content-Security-Policy without 'wasm-unsafe-eval'", 'csp', { headers: STRICT, says: NOT_ALLOWED, browser: 'firefox' }),
  consumer('a host without Symbol.dispose', {
    folder: 'old-host',
    lines: ['esbuild main.js --bundle --target=es2022 --outfile=bundle.js --log-level=error', 'node-20 run.cjs'],
    says: 'undefined 1 0',
  }),

  consumer('Jest, fake timers', { folder: 'jest', lines: ['jest 2>&1'], says: /^Ran all test suites/ }),
  consumer('Vitest, fake timers', { folder: 'vitest', lines: ['vitest run'], says: /Duration/ }),
];

/**
 * `only` is an engine that is needed, but cannot be built everywhere; `project` one of install.mjs.
 */
function consumer(name, { project = 'whole', lines = [], browser = 'chromium', ...rest }) {
  return { name, project, lines, browser, ...rest };
}

function inNode(name, line, says, rest = {}) {
  return consumer(name, { folder: 'node', lines: [line], says, ...rest });
}

/** Bundled, moved to where no folder above has the package, and imported by a program elsewhere. */
function shipped(name, format, copy, says) {
  const folder = `../../shipped/${format}-${copy === 'true' ? 'lost' : 'whole'}`;
  const bundle = `${FOR_NODE} --format=${format} handler.mjs --outfile=$SHIPPED/handler.${format === 'esm' ? 'mjs' : 'cjs'}`;
  return inNode(name, `export SHIPPED=${folder}; rm -rf $SHIPPED && ${bundle} && ${copy} && node-20 runtime.mjs $SHIPPED/handler.*js`, says);
}

function inWorkerd(name, line, says, rest = {}) {
  return consumer(name, { folder: 'workerd', lines: [line, 'workerd test config.capnp'], says, ...rest });
}

function inBrowser(name, folder, rest = {}) {
  return consumer(name, { folder, page: 'index.html', says: WASM, ...rest });
}

function leavingNothing(bundler, line, bundle) {
  return consumer(`${bundler}, an import that is not used`, { folder: bundler, lines: [line, linesIn(bundle)], says: '0' });
}
