// A context of Node 20's, which has little more than what the language itself brings: no
// Symbol.dispose, no TextDecoder, no timers, no performance, no AbortController.
const { readFileSync } = require('node:fs');
const { createContext, runInContext } = require('node:vm');

const host = createContext({});
runInContext(readFileSync('bundle.js', 'utf8'), host);
console.log(host.said);
