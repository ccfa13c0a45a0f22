// Builds the package into dist: for Node (CommonJS, and an ES module that re-exports it, so that
// there is one copy of every class), for everybody else (ES module and CommonJS), for hosts that
// must import the module (workerd), and the types of all.

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wasm = join(root, '../target/wasm/bulkheads_wasm_bg.wasm');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** Put in place when it is whole: somebody may be using the last one. */
const NEW = 'dist.new';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const shared = {
  absWorkingDir: root,
  bundle: true,
  outdir: NEW,
  target: ['es2022'],
  plugins: [{ name: 'wasm', setup: wasmFiles }],
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: true,
  metafile: true,
  logLevel: 'warning',
  // Only the asynchronous way to load the module, which nobody calls, asks where it lies.
  define: { 'import.meta.url': 'undefined', 'VERSION': JSON.stringify(version) },
};

if (!existsSync(wasm)) throw new Error(`${wasm} is missing; run make build`);
rmSync(join(root, NEW), { recursive: true, force: true });
await Promise.all([
  bundle('node', 'cjs', { platform: 'node', external: ['@bulkheads/*'], plugins: [...shared.plugins, { name: 'builtins', setup: builtins }] }),
  bundle('browser', 'esm', { platform: 'neutral' }),
  bundle('browser', 'cjs', { platform: 'neutral' }),
  bundle('workerd', 'esm', { platform: 'neutral' }),
  bundle('testing', 'esm', { platform: 'neutral' }),
  bundle('testing', 'cjs', { platform: 'neutral' }),
  wrap('node', 'node.mjs'),
  wrap('testing', 'testing-node.mjs'),
]);
copyFileSync(wasm, join(root, NEW, 'bulkheads.wasm'));
types();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(join(root, NEW), join(root, 'dist'));

function wasmFiles({ onLoad, onResolve }) {
  onLoad({ filter: /bulkheads_wasm_bg\.wasm$/ }, asText);
  onResolve({ filter: /^bulkheads\.wasm$/ }, () => ({ path: './bulkheads.wasm', external: true }));
}

/**
 * A module as text, which src/engines/inlined.ts reads. Nearly all of its bytes are small numbers, and these become one printable
 * character each: compressed on its way to a browser that is no more than the module itself, where base64 is a third more.
 */
function asText({ path }) {
  const text = [...readFileSync(path)].map((byte) => {
    const code = (byte + 43) % 256;
    if (code >= 35 && code <= 123) return String.fromCharCode(code);
    return String.fromCharCode(124 + Math.floor(code / 90), 35 + (code % 90));
  });
  return { contents: `export default ${JSON.stringify(text.join(''))};`, loader: 'js' };
}

/**
 * Node's own modules, so that a program still works when a bundler has made one ES module of it,
 * where there is no `require`. The first versions of Node 20 have no other way than that.
 */
function builtins({ onLoad, onResolve }) {
  onResolve({ filter: /^node:/ }, ({ path, namespace }) => (namespace === 'builtin' ? { path, external: true } : { path, namespace: 'builtin' }));
  onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
    contents: `module.exports = process.getBuiltinModule?.('${path}') ?? require('${path}');`,
  }));
}

async function bundle(entry, format, options) {
  const extension = format === 'esm' ? '.mjs' : '.cjs';
  return build({ ...shared, ...options, format, entryPoints: [`src/entries/${entry}.ts`], outExtension: { '.js': extension } });
}

/**
 * An ES module that re-exports the CommonJS one, so that a process has each class once. The names
 * are read off the bundle: the wrapper cannot forget one.
 */
async function wrap(entry, file) {
  const entryPoints = [`src/entries/${entry}.ts`];
  const { metafile } = await build({ ...shared, platform: 'node', format: 'esm', entryPoints, write: false });
  const [{ exports }] = Object.values(metafile.outputs).filter((output) => output.entryPoint !== undefined);
  const names = exports.sort().join(', ');
  mkdirSync(join(root, NEW), { recursive: true });
  writeFileSync(join(root, NEW, file), `import common from './${entry}.cjs';\n\nexport const { ${names} } = common;\n`);
}

/**
 * The same declarations twice: what kind of module they describe is said by the package.json beside
 * them.
 */
function types() {
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', join(NEW, 'types/esm')], { cwd: root, stdio: 'inherit' });
  cpSync(join(root, NEW, 'types/esm'), join(root, NEW, 'types/cjs'), { recursive: true });
  writeFileSync(join(root, NEW, 'types/esm/package.json'), '{ "type": "module" }\n');
  writeFileSync(join(root, NEW, 'types/cjs/package.json'), '{ "type": "commonjs" }\n');
}
