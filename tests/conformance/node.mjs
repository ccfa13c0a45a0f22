// The scenarios through the public API in Node:
// `node tests/conformance/node.mjs native|wasm FOLDER|FILE…`.

import { readScenarioFiles } from './lib/files.mjs';
import { lacking, PublicSurface } from './public/surface.mjs';
import { run } from './scenario.mjs';

const SURFACES = { native: 'node', wasm: 'node-wasm' };
const [kind, ...paths] = process.argv.slice(2);
const surface = SURFACES[kind];
if (surface === undefined || paths.length === 0) throw new Error(`usage: node.mjs ${Object.keys(SURFACES).join('|')} FOLDER|FILE…`);

process.env.BULKHEADS_ENGINE = kind;
const api = { ...(await import('../../js/dist/node.mjs')), ...(await import('../../js/dist/testing.mjs')) };
const make = (options, tell) => new PublicSurface(api, options, tell);
const { failed } = await run(readScenarioFiles(paths), surface, make, console.log, (scenario) => lacking(api, scenario));
process.exitCode = failed === 0 ? 0 : 1;
