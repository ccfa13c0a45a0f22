// For the scripts that run as they are; js/ has rules of its own. The linter itself is that of js/:
// `js/node_modules/.bin/eslint bench tests`.

/** What Node and browsers both have, and what only one of them has. */
const globals = [
  'AbortController', 'AbortSignal', 'URL', 'URLSearchParams', 'clearInterval', 'clearTimeout', 'console', 'globalThis', 'performance', 'setTimeout',
  'MessageChannel', 'fetch', 'location', 'navigator', 'process', 'setImmediate', 'setInterval', 'structuredClone',
];

const rules = [
  'constructor-super', 'eqeqeq', 'for-direction', 'getter-return', 'no-async-promise-executor', 'no-class-assign',
  'no-compare-neg-zero', 'no-cond-assign', 'no-const-assign', 'no-constant-binary-expression', 'no-dupe-args', 'no-dupe-class-members',
  'no-dupe-else-if', 'no-dupe-keys', 'no-duplicate-case', 'no-empty-pattern', 'no-ex-assign', 'no-fallthrough', 'no-func-assign',
  'no-import-assign', 'no-irregular-whitespace', 'no-loss-of-precision', 'no-redeclare',
  'no-self-assign', 'no-self-compare', 'no-sparse-arrays', 'no-this-before-super', 'no-undef', 'no-unreachable',
  'no-unsafe-finally', 'no-unsafe-negation', 'no-unsafe-optional-chaining', 'no-unused-labels', 'no-use-before-define',
  'no-useless-catch', 'no-useless-escape', 'no-useless-rename', 'no-var', 'object-shorthand', 'prefer-const', 'use-isnan', 'valid-typeof',
];

export default [
  {
    languageOptions: { globals: Object.fromEntries(globals.map((name) => [name, 'readonly'])) },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...Object.fromEntries(rules.map((name) => [name, 'error'])),
      // Functions are used before their definition: what callers use comes first.
      'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    // Each runs in a host of its own.
    files: ['tests/packaging/npm/consumers/**', 'tests/packaging/npm/hosts/projects/**'],
    languageOptions: {
      globals: Object.fromEntries(
        ['AudioWorkletProcessor', 'Buffer', 'Response', 'TextDecoder', 'TextEncoder', 'afterEach', 'beforeEach', 'document', 'expect', 'jest', 'module', 'postMessage', 'registerProcessor', 'require', 'self', 'test'].map((name) => [name, 'readonly']),
      ),
    },
  },
];
