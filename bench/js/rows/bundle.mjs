// 12: everything a browser loads for the one import.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { absolute } from '../row.mjs';

const IMPORTS = {
  'bulkheads': "import { Bulkhead } from 'bulkheads'",
  'cockatiel': "import { bulkhead, timeout, wrap } from 'cockatiel'",
  'p-limit': "import pLimit from 'p-limit'",
  'p-queue': "import PQueue from 'p-queue'",
  'async-sema': "import { Sema } from 'async-sema'",
  'async-mutex': "import { Semaphore } from 'async-mutex'",
  'bottleneck': "import Bottleneck from 'bottleneck'",
  'effect': "import * as Effect from 'effect/Effect'; import * as Semaphore from 'effect/Semaphore'",
};
const NAMES = /import (?:\* as )?(?:\{ )?(.*?)(?: \})? from/g;

export const jobs = [{ id: '12', measure }];

async function measure() {
  const { build } = createRequire(new URL('../../../js/package.json', import.meta.url))('esbuild');
  const figures = [];
  for (const [name, imports] of Object.entries(IMPORTS)) {
    const size = round((await gzipped(build, imports)) / 1000);
    figures.push({ name, calls: imports, median: size, min: size, max: size });
  }
  const [{ name: _, ...ours }, ...peers] = figures;
  const row = {
    id: '12',
    title: 'what a browser loads',
    engine: 'wasm',
    unit: 'KB',
    measure: 'minified with esbuild, gzip',
    work: 'one import, the engine included',
    options: '',
    rounds: 1,
    calls: 1,
    bare: null,
    ours,
    peers: peers.sort((a, b) => a.median - b.median),
    best_peer: null,
    missing: [],
  };
  return { rows: [absolute(row)] };
}

/** Bytes. What is imported is used, or it would be left out. */
async function gzipped(build, imports) {
  const names = [...imports.matchAll(NAMES)].map(([, list]) => list).join(', ');
  const { outputFiles } = await build({
    stdin: { contents: `${imports};\nconsole.log(${names});\n`, resolveDir: fileURLToPath(new URL('../', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

function round(kilobytes) {
  return Number(kilobytes.toFixed(2));
}
