// Whether each engine that may be installed is required by its name, for webpack and for everybody
// else.
const { readFileSync } = require('node:fs');

const text = readFileSync(require.resolve('bulkheads'), 'utf8');
const { optionalDependencies } = require('bulkheads/package.json');
const missing = Object.keys(optionalDependencies).filter((name) => !['require', '__non_webpack_require__'].every((call) => text.includes(` ${call}("${name}")`)));
console.log(missing.length === 0 ? 'as many names as platforms' : `not required by name: ${missing.join(', ')}`);
