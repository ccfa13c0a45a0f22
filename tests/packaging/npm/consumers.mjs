// The consumers: a folder of `consumers`, what is typed there or which page is opened, and what that has to say
// in its last line or as its title: a text, a pattern, or a number that must not be exceeded.
// Those with an `only` need an engine that cannot be built everywhere.

const VERSIONS = [20, 22, 24, 26];
const ESBUILD = 'esbuild main.js --bundle --format=esm --outfile=bundle.js --log-level=error';
const FOR_NODE = 'esbuild --bundle --platform=node --log-level=error';
/** How many lines of the package a bundler has left in. */
const LEFT = ['grep -ci bulkhead unused.out.js || true'];
const NATIVE = 'ran full native';
const WASM = 'ran full wasm';

export const CONSUMERS = [
  ...VERSIONS.flatMap((version) => [
    consumer(`Node ${version}, import`, { folder: 'node', lines: [`node-${version} import.mjs`], says: NATIVE }),
    consumer(`Node ${version}, require`, { folder: 'node', lines: [`node-${version} require.cjs`], says: NATIVE }),
    consumer(`Node ${version}, both in one program`, { folder: 'node', lines: [`node-${version} both.mjs`], says: 'true true' }),
  ]),
  consumer('Node on musl', { project: 'musl', folder: 'node', lines: ['node-musl import.mjs'], says: NATIVE, only: 'linux-x64-musl' }),
  consumer('Node on musl, wasm where npm took the engine for glibc', { folder: 'node', lines: ['node-musl why.mjs'], says: /^ran full wasm .*@bulkheads\/engine-linux-x64-musl: not installed/, only: 'linux-x64-musl' }),
  consumer('Node, source maps', { folder: 'node', lines: ['node-24 --enable-source-maps trace.mjs'], says: /\/src\/options\.ts:\d+:\d+\)?$/ }),
  engineless('optional dependencies left out', { project: 'left-out', says: /^ran full wasm .*@bulkheads\/engine-\S+: not installed/ }),
  engineless('installed for another platform', { project: 'foreign', says: /^ran full wasm .*@bulkheads\/engine-\S+: not installed/ }),
  engineless('the binary is garbage', { project: 'garbage', says: /^ran full wasm .*@bulkheads\/engine-\S+: .*bulkheads\.node: (file too short|invalid ELF header)/ }),
  engineless('the binary is of another version', { project: 'outdated', says: /^ran full wasm .*: it is version 0\.0\.1, and bulkheads is/ }),
  engineless('a machine without an engine', { before: '-r ./elsewhere.cjs', says: /^ran full wasm .*-riscv64\S*: no engine is published for this platform$/ }),

  consumer('what the package holds', { folder: 'node', lines: ['echo $(ls ../node_modules/bulkheads)'], says: 'LICENSE-APACHE LICENSE-MIT README.md dist package.json' }),
  consumer('what the engine holds', { folder: 'node', lines: ['echo $(ls ../node_modules/@bulkheads/*)'], says: 'LICENSE-APACHE LICENSE-MIT README.md bulkheads.node package.json' }),
  consumer('no install script, no dependency but the engines', { folder: 'node', lines: [`node -p "const { scripts, dependencies } = require('bulkheads/package.json'); JSON.stringify({ scripts, dependencies })"`], says: '{}' }),
  consumer('publint', { folder: 'node', lines: ['publint run ../node_modules/bulkheads --strict --pack false'], says: 'All good!' }),
  consumer('publint, the engine', { folder: 'node', lines: ['publint run ../node_modules/@bulkheads/* --strict --pack false'], says: 'All good!' }),
  consumer('are the types wrong', { folder: 'node', lines: ['attw $PACKAGES/bulkheads-[0-9]*.tgz --no-definitely-typed --profile node16 --quiet'], says: '' }),
  consumer('TypeScript, strict, node16', { folder: 'typescript', lines: ['tsc -p node16.json'], says: '' }),
  consumer('TypeScript 5.2, strict, node16', { folder: 'typescript', lines: ['node ../../node_modules/typescript-5.2/bin/tsc -p node16.json'], says: '' }),
  consumer('TypeScript, strict, bundler', { folder: 'typescript', lines: ['tsc -p bundler.json'], says: '' }),

  consumer('Bun', { folder: 'node', lines: ['bun import.mjs'], says: NATIVE }),
  consumer('Bun, installed by Bun', { project: 'by-bun', folder: 'node', lines: ['cd .. && bun add bulkheads', 'bun import.mjs'], says: NATIVE }),
  consumer('Deno, installed by Deno', { project: 'by-deno', folder: 'node', lines: ['cd .. && deno add npm:bulkheads', 'deno run --no-prompt --allow-ffi --allow-read import.mjs'], says: NATIVE }),
  consumer('Deno, nothing allowed', { folder: 'node', lines: ['deno run --no-prompt why.mjs'], says: /^ran full wasm .*: Deno: it may not load addons; allow it with --allow-ffi --allow-read$/ }),
  consumer('Deno, addons allowed', { folder: 'node', lines: ['deno run --no-prompt --allow-ffi --allow-read import.mjs'], says: NATIVE }),
  consumer('workerd', { folder: 'workerd', lines: [`${ESBUILD} --conditions=workerd,worker,browser --loader:.wasm=copy --asset-names=[name]`, 'workerd test config.capnp'], says: WASM }),
  consumer('workerd, bundled as for a browser', { project: 'again', folder: 'workerd', lines: [ESBUILD, 'cp ../node_modules/bulkheads/dist/bulkheads.wasm .', 'workerd test config.capnp'], says: /needs the export condition workerd/ }),

  consumer('esbuild for Node, to CommonJS', { folder: 'node', lines: [`${FOR_NODE} require.cjs --outfile=bundle.cjs`, 'node-20 bundle.cjs'], says: NATIVE }),
  consumer('esbuild for Node, to one ES module', { folder: 'node', lines: [`${FOR_NODE} --format=esm import.mjs --outfile=bundle.mjs`, 'node-20 bundle.mjs'], says: NATIVE }),
  consumer('a host without Symbol.dispose', { folder: 'old-host', lines: ['esbuild main.js --bundle --target=es2022 --outfile=bundle.js --log-level=error', 'node-20 run.cjs'], says: 'undefined 1 0' }),
  consumer('what a browser loads: bytes, minified and compressed', { folder: 'esbuild', lines: ['esbuild size.js --bundle --minify --format=esm | gzip -9 | wc -c'], says: 25_000 }),
  consumer('esbuild, an import that is not used', { folder: 'esbuild', lines: ['esbuild unused.js --bundle --format=esm --outfile=unused.out.js --log-level=error', ...LEFT], says: '0' }),
  consumer('Rollup, an import that is not used', { folder: 'rollup', lines: ['rollup -c --silent -i ../esbuild/unused.js -o unused.out.js', ...LEFT], says: '0' }),
  consumer('webpack, an import that is not used', { folder: 'webpack', lines: ['webpack -o other', 'grep -ci bulkhead other/unused.js || true'], says: '0' }),
  consumer('esbuild', { folder: 'esbuild', lines: [ESBUILD], page: 'index.html', says: WASM }),
  consumer('Rollup', { folder: 'rollup', lines: ['rollup -c --silent'], page: 'index.html', says: WASM }),
  consumer('webpack', { folder: 'webpack', lines: ['webpack'], page: 'index.html', says: WASM }),
  consumer('Vite, build', { folder: 'vite', lines: ['vite build --base ./ --logLevel warn'], page: 'dist/index.html', says: WASM }),
  consumer('Vite, dev', { folder: 'vite', server: 'vite --port 0 --host 127.0.0.1', says: WASM }),
  consumer('a page without a bundler', { folder: 'page', page: 'index.html', says: WASM }),
  consumer('a Web Worker', { folder: 'worker', lines: [ESBUILD], page: 'index.html', says: WASM }),
  consumer('a service worker', { folder: 'service-worker', lines: [ESBUILD], page: 'index.html', says: WASM }),
  consumer("a strict Content-Security-Policy with 'wasm-unsafe-eval'", { folder: 'csp', page: 'index.html', headers: csp("'self' 'wasm-unsafe-eval'"), says: '1' }),
  consumer('a strict Content-Security-Policy without it', { folder: 'csp', page: 'index.html', headers: csp("'self'"), says: /allow 'wasm-unsafe-eval' in script-src/ }),
  consumer('Firefox, a strict Content-Security-Policy without it', { folder: 'csp', page: 'index.html', headers: csp("'self'"), browser: 'firefox', says: /allow 'wasm-unsafe-eval' in script-src/ }),
  consumer('Firefox, a Web Worker', { project: 'again', folder: 'worker', lines: [ESBUILD], page: 'index.html', browser: 'firefox', says: WASM }),
  consumer('Firefox', { folder: 'page', page: 'index.html', browser: 'firefox', says: WASM }),

  consumer('Jest, fake timers', { folder: 'jest', lines: ['jest 2>&1'], says: /^Ran all test suites/ }),
  consumer('Vitest, fake timers', { folder: 'vitest', lines: ['vitest run'], says: /Duration/ }),
];

function consumer(name, { project = 'whole', lines = [], browser = 'chromium', ...rest }) {
  return { name, project, lines, browser, ...rest };
}

/** Node where the engine for the machine cannot be had. */
function engineless(name, { before = '', ...rest }) {
  return consumer(`Node, ${name}`, { folder: 'node', lines: [`node-20 ${before} why.mjs`], ...rest });
}

function csp(sources) {
  return { 'content-security-policy': `script-src ${sources}` };
}
