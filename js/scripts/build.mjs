// Builds the package into dist: for Node (CommonJS, and an ES module that re-exports it, so that there is one copy of every class),
// for everybody else (ES module and CommonJS), and the types of both.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wasm = join(root, '../target/wasm/bulkheads_wasm_bg.wasm');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** Put in place when it is whole: somebody may be using the last one. */
const NEW = 'dist.new';

const shared = {
  absWorkingDir: root,
  bundle: true,
  outdir: NEW,
  target: ['es2022'],
  plugins: [{ name: 'wasm', setup: ({ onLoad }) => onLoad({ filter: /\.wasm$/ }, hexadecimal) }],
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: true,
  metafile: true,
  logLevel: 'warning',
  // Only the asynchronous way to load the module, which nobody calls, asks where it lies.
  define: { 'import.meta.url': 'undefined' },
};

if (!existsSync(wasm)) throw new Error(`${wasm} is missing; run make build`);
rmSync(join(root, NEW), { recursive: true, force: true });
await Promise.all([
  bundle('node', 'cjs', { platform: 'node' }),
  bundle('browser', 'esm', { platform: 'neutral' }),
  bundle('browser', 'cjs', { platform: 'neutral' }),
  bundle('testing', 'esm', { platform: 'neutral' }),
  bundle('testing', 'cjs', { platform: 'neutral' }),
  wrapNode(),
]);
types();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(join(root, NEW), join(root, 'dist'));

/**
 * A module as text. Base64 would be shorter, but not where it counts: compressed on its way to a browser, hexadecimal is a tenth
 * smaller, because what repeats itself in the module still does.
 */
function hexadecimal({ path }) {
  return { contents: `export default '${readFileSync(path, 'hex')}';`, loader: 'js' };
}

async function bundle(entry, format, options) {
  const extension = format === 'esm' ? '.mjs' : '.cjs';
  return build({ ...shared, ...options, format, entryPoints: [`src/entries/${entry}.ts`], outExtension: { '.js': extension } });
}

/** The names are read off the bundle, so that the wrapper cannot forget one. */
async function wrapNode() {
  const entryPoints = ['src/entries/node.ts'];
  const { metafile } = await build({ ...shared, platform: 'node', format: 'esm', entryPoints, write: false });
  const [{ exports }] = Object.values(metafile.outputs).filter((output) => output.entryPoint !== undefined);
  const names = exports.sort().join(', ');
  mkdirSync(join(root, NEW), { recursive: true });
  writeFileSync(join(root, NEW, 'node.mjs'), `import bulkheads from './node.cjs';\n\nexport const { ${names} } = bulkheads;\n`);
}

/** The same declarations twice: what kind of module they describe is said by the package.json beside them. */
function types() {
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', join(NEW, 'types/esm')], { cwd: root, stdio: 'inherit' });
  cpSync(join(root, NEW, 'types/esm'), join(root, NEW, 'types/cjs'), { recursive: true });
  writeFileSync(join(root, NEW, 'types/esm/package.json'), '{ "type": "module" }\n');
  writeFileSync(join(root, NEW, 'types/cjs/package.json'), '{ "type": "commonjs" }\n');
}
