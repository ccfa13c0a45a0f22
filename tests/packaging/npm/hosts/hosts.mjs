// The hosts: a folder of `projects`, how the package is installed there, the section of the guide
// that is followed, what is typed after that, and what the last of all lines has to say.

const NATIVE = 'ran full native';
/** What a bundle says that has lost its addon: which line brings it back. */
const LOST = /^ran full wasm bulkheads: .* \(.+\): copy node_modules\/@bulkheads\/engine-\S+\/bulkheads\.node beside it, or leave bulkheads out of the bundle \(.*\); see the guide "Bundlers"$/;
const RUNTIME = 'node $HOSTS/../consumers/node/runtime.mjs';
const CJS = 'esbuild handler.mjs --bundle --platform=node --outfile=dist/handler.cjs --log-level=warning';
const ESM = 'esbuild handler.mjs --bundle --platform=node --format=esm --outfile=dist/handler.mjs --log-level=warning';
/** Where nothing lies above it. */
const SHIP = 'rm -rf $SHIPPED && cp -r dist $SHIPPED && cd $SHIPPED &&';
const STANDALONE = 'rm -rf $SHIPPED && cp -r .next/standalone $SHIPPED && cd $SHIPPED/projects/$PROJECT && node $HOSTS/ask.mjs node server.js';
const PASSED = /^Ran all test suites/;

export const HOSTS = [
  bundled('a bundle in its project', { section: 'A bundle in its project', lines: [`${RUNTIME} dist/handler.cjs`] }),
  bundled('a bundle in its project, ES module', { lines: [ESM, `${RUNTIME} dist/handler.mjs`] }),
  bundled('a bundle in its project, installed by pnpm', { installer: 'pnpm', lines: [CJS, `${RUNTIME} dist/handler.cjs`] }),
  bundled('esbuild, CommonJS, shipped alone', { section: 'esbuild, CommonJS', lines: [`${SHIP} ${RUNTIME} handler.cjs`] }),
  bundled('esbuild, ES module, shipped alone', { section: 'esbuild, ES module', lines: [`${SHIP} ${RUNTIME} handler.mjs`] }),
  bundled('Rollup, shipped alone', { section: 'Rollup', lines: [`${SHIP} ${RUNTIME} handler.mjs`, `cd $SHIPPED && ${RUNTIME} handler.cjs`] }),
  bundled('webpack, shipped alone', { section: 'webpack', lines: [`${SHIP} ${RUNTIME} handler.cjs`] }),
  bundled('webpack warns of nothing', { section: 'webpack', lines: ["webpack | grep -ci warning || true"], says: '0' }),
  bundled('esbuild, CommonJS, without the addon', { lines: [CJS, `${SHIP} ${RUNTIME} handler.cjs`], says: LOST }),
  bundled('esbuild, ES module, without the addon', { lines: [ESM, `${SHIP} ${RUNTIME} handler.mjs`], says: LOST }),
  bundled('installed by pnpm, shipped alone', { section: 'esbuild, installed by pnpm', installer: 'pnpm', lines: [`${SHIP} ${RUNTIME} handler.cjs`] }),
  bundled('left out of the bundle', { section: 'Leaving it out', lines: [`${SHIP} ${RUNTIME} handler.cjs`] }),
  bundled('the files that @vercel/nft collects', { section: 'Tracers', lines: [`${SHIP} node main.mjs`] }),

  next('Next.js, Turbopack, standalone', { section: 'Next.js', lines: ['next build', STANDALONE] }),
  next('Next.js, Turbopack, started in its project', { section: 'Next.js', lines: ['next build', 'node $HOSTS/ask.mjs next start'] }),
  next('Next.js, Turbopack, dev', { section: 'Next.js', lines: ['node $HOSTS/ask.mjs next dev'] }),
  next('Next.js, webpack, standalone', { section: 'Next.js', lines: ['next build --webpack', STANDALONE] }),
  next('Next.js, webpack, dev', { section: 'Next.js', lines: ['node $HOSTS/ask.mjs next dev --webpack'] }),
  next('Next.js, Turbopack, standalone, installed by pnpm', { section: 'Next.js with pnpm', installer: 'pnpm', lines: ['next build', STANDALONE] }),
  next('Next.js, webpack, standalone, installed by pnpm', { section: 'Next.js with pnpm', installer: 'pnpm', lines: ['next build --webpack', STANDALONE] }),
  next('Next.js, standalone, installed by pnpm, without the line that it needs', {
    section: 'Next.js', installer: 'pnpm', lines: ['next build', STANDALONE], says: LOST,
  }),

  host('Jest, node and jsdom', { project: 'jest', section: 'Jest', says: PASSED }),
  host('Jest, node and jsdom, WebAssembly', { project: 'jest', section: 'Jest', engine: 'wasm', says: PASSED }),
  host('Vitest, its environments and pools', { project: 'vitest', section: 'Vitest', says: /Duration/ }),
  host('Vitest, its environments and pools, WebAssembly', { project: 'vitest', section: 'Vitest', engine: 'wasm', says: /Duration/ }),

  bundled('pnpm', { installer: 'pnpm', lines: ['node main.mjs'] }),
  bundled("Yarn, Plug'n'Play", { installer: 'yarn', lines: ['test -e .pnp.cjs && test ! -e node_modules && yarn node main.mjs'] }),
];

/** `engine` is one that is forced. */
function host(name, { installer = 'npm', lines = [], says = NATIVE, ...rest }) {
  return { name, installer, lines, says, ...rest };
}

function bundled(name, rest) {
  return host(name, { project: 'bundle', ...rest });
}

function next(name, rest) {
  return host(name, { project: 'next', ...rest });
}
