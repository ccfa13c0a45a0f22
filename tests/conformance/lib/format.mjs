// The scenario format: what a file may contain. Whatever it may not contain is a failure, never
// ignored: a check that a typo turned off would pass for ever. No imports: this runs in Node and in
// the browser.

export const SURFACES = ['core', 'wasm-engine', 'node-engine', 'python-engine', 'node', 'node-wasm', 'browser', 'python'];

export const STATS = [
  'limit', 'active', 'available', 'running', 'queued', 'max_queue', 'overrun', 'peak_active', 'peak_queued', 'admitted', 'completed', 'failed',
  'unclaimed', 'abandoned_runs', 'leaked', 'double_releases', 'full', 'queue_timeout', 'cancelled', 'closed', 'too_heavy', 'call_timeout',
];

export const STATES = [
  'running', 'waiting', 'rejected', 'cancelled', 'completed', 'failed', 'released', 'full', 'queue_timeout', 'closed', 'too_heavy',
  'call_timeout',
];

/** The checks of a step; the earlier steps of a turn have none. */
const CHECKS = ['expect', 'then', 'stats', 'state', 'next_timer', 'idle'];

const isText = (value) => typeof value === 'string' && value !== '';
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isPositive = (value) => isCount(value) && value > 0;
const isFlag = (value) => typeof value === 'boolean';
const isTime = (value) => isNumber(value) && value >= 0;
const isBound = (value) => value === 'infinity' || (isNumber(value) && value > 0);
const isList = (test) => (value) => Array.isArray(value) && value.every(test);

const SCENARIO = {
  scenario: isText,
  contract: isText,
  bulkhead: isRecord,
  surfaces: isList((one) => SURFACES.includes(one)),
  steps: isSteps,
};

const BULKHEAD = {
  max_concurrent: isPositive,
  max_queue: isCount,
  timeout_ms: isBound,
  call_timeout_ms: isBound,
  abandon_after_ms: isBound,
};

const STEP = {
  at: isTime,
  late: isFlag,
  same_turn: isFlag,
  do: isText,
  as: isText,
  of: isText,
  to: isCount,
  abort: isFlag,
  weight: isPositive,
  permits: isPositive,
  timeout_ms: (value) => value === 'infinity' || isTime(value),
  deadline_ms: isNumber,
  call_timeout_ms: (value) => isNumber(value) && value > 0,
  aborted: isFlag,
  ignores_signal: isFlag,
  expect: (value) => STATES.includes(value),
  then: isList(isChange),
  stats: isStats,
  state: (value) => ['open', 'draining', 'closed'].includes(value),
  next_timer: (value) => value === null || isNumber(value),
  idle: isFlag,
};

/** What each verb needs besides `at`. */
export const VERBS = {
  call: ['as'],
  acquire: ['as'],
  try_acquire: ['as'],
  finish: ['of'],
  fail: ['of'],
  cancel: ['of'],
  release: ['of'],
  split: ['of', 'as', 'permits'],
  adjust: ['of', 'weight'],
  resize: ['to'],
  close: [],
  drain: [],
  tick: [],
};

/** What only some verbs take. */
const TAKEN_BY = {
  abort: ['close'],
  permits: ['release', 'split'],
  timeout_ms: ['call', 'acquire', 'drain'],
  call_timeout_ms: ['call', 'acquire'],
};

/** The scenarios of a file's text; throws what makes it none. */
export function parse(text) {
  const list = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error('not an array of scenarios');
  return list;
}

/**
 * What is wrong with a scenario before it runs: `[{ step, message }]`, steps counted from 1, 0 for
 * the scenario itself.
 */
export function faults(scenario) {
  const found = [];
  const say = (step, message) => found.push({ step, message });
  if (!isRecord(scenario)) return [{ step: 0, message: `not a scenario: ${JSON.stringify(scenario)}` }];
  const { bulkhead, steps } = scenario;
  record(scenario, SCENARIO, ['scenario', 'bulkhead', 'steps'], (message) => say(0, message));
  if (isRecord(bulkhead)) record(bulkhead, BULKHEAD, ['max_concurrent'], (message) => say(0, `bulkhead: ${message}`));
  if (isSteps(steps)) steps.forEach((_, index) => faultsOfStep(steps, index, (message) => say(index + 1, message)));
  return found;
}

function faultsOfStep(steps, index, say) {
  const step = steps[index];
  record(step, STEP, ['at', 'do'], say);
  if (isText(step.do) && !Object.hasOwn(VERBS, step.do)) say(`unknown verb ${step.do}`);
  else for (const key of VERBS[step.do] ?? []) if (!(key in step)) say(`${step.do} needs ${key}`);
  const before = steps[index - 1];
  if (before && step.at < before.at) say(`time goes back from ${before.at} to ${step.at}`);
  for (const [key, verbs] of Object.entries(TAKEN_BY)) if (key in step && !verbs.includes(step.do)) say(`${step.do} does not take ${key}`);
  if (step.same_turn) faultsOfTurn(step, before, say);
}

function faultsOfTurn(step, before, say) {
  if (!before) return say('same_turn has no step before it');
  if (step.at !== before.at) say(`same_turn at ${step.at} after a step at ${before.at}`);
  if (step.late) say('late belongs to the first step of a turn');
  const checked = CHECKS.filter((key) => key in before);
  if (checked.length > 0) say(`the step before it in its turn carries checks: ${checked.join(', ')}`);
}

function record(value, shape, required, say) {
  for (const key of required) if (!(key in value)) say(`${key} is missing`);
  for (const [key, one] of Object.entries(value)) {
    if (!Object.hasOwn(shape, key)) say(`unknown key ${key}`);
    else if (!shape[key](one)) say(`bad ${key}: ${JSON.stringify(one)}`);
  }
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSteps(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** `b:running` */
function isChange(value) {
  const colon = isText(value) ? value.lastIndexOf(':') : -1;
  return colon > 0 && STATES.includes(value.slice(colon + 1));
}

function isStats(value) {
  return isRecord(value) && Object.entries(value).every(([key, count]) => STATS.includes(key) && Number.isSafeInteger(count));
}
