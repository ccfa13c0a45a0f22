// The public API as a surface of lib/timeline.mjs: promises, signals and a virtual clock. The same
// lines in Node and in a page.

import { timeOf } from '../scenario.mjs';

/** The names of the format for the figures of `stats()`. */
const FIGURES = {
  limit: 'limit',
  active: 'active',
  available: 'available',
  running: 'running',
  queued: 'queued',
  max_queue: 'maxQueue',
  overrun: 'overrun',
  peak_active: 'peakActive',
  peak_queued: 'peakQueued',
  admitted: 'admitted',
  completed: 'completed',
  failed: 'failed',
  unclaimed: 'unclaimed',
  abandoned_runs: 'abandonedRuns',
  leaked: 'leaked',
  double_releases: 'doubleReleases',
  call_timeout: 'callTimeouts',
};
const REJECTED = { full: 'full', queue_timeout: 'queueTimeout', cancelled: 'cancelled', closed: 'closed', too_heavy: 'tooHeavy' };

/** The reasons of aborts and of failures, distinguished from every other error by identity. */
const CANCELLED = new Error('cancelled');
const FAILED = new Error('failed');

/** Why the API cannot express a scenario, if it cannot: what its permits lack. */
export function lacking({ Bulkhead }, { steps }) {
  const permit = new Bulkhead('probe', { maxConcurrent: 1 }).tryAcquire();
  permit.release();
  const name = steps.map(neededFor).find((one) => one !== undefined && !(one in permit));
  return name === undefined ? undefined : `a permit has no ${name}`;
}

/** What a step needs of its permit. */
function neededFor(step) {
  if (step.do === 'adjust') return 'adjust';
  if (step.permits !== undefined) return 'split';
  return step.do === 'acquire' && step.call_timeout_ms !== undefined ? 'signal' : undefined;
}

export class PublicSurface {
  #clock;
  #bulkhead;
  #tell;
  #permits = [];
  #hasSettled = false;

  constructor({ Bulkhead, VirtualClock }, options, tell) {
    this.#clock = new VirtualClock().install();
    this.#bulkhead = new Bulkhead('conformance', options);
    this.#tell = tell;
  }

  advance(at) {
    return this.#clock.advanceTo(at);
  }

  jump(at) {
    this.#clock.jump(at);
  }

  act(step, label) {
    switch (step.do) {
      case 'call':
        return this.#call(step, label);
      case 'acquire':
        return this.#acquire(step, label);
      case 'try_acquire': {
        const permit = this.#bulkhead.tryAcquire(step.weight);
        label.own = {};
        if (permit !== null) this.#hold(label, permit);
        return this.#tell(label.name, permit === null ? 'rejected' : 'running');
      }
      case 'finish':
        return label.own.finish();
      case 'fail':
        return label.own.fail(FAILED);
      case 'cancel':
        return label.own.controller.abort(CANCELLED);
      case 'release':
        return this.#release(step, label);
      case 'split':
        return this.#split(step, label);
      case 'adjust':
        if (label.own.permit.adjust(step.weight)) label.held = step.weight;
        return undefined;
      case 'resize':
        return this.#bulkhead.resize(step.to);
      case 'close':
        return this.#watch(this.#bulkhead.close(step.abort === true ? { abort: true } : undefined));
      case 'drain':
        return this.#watch(this.#bulkhead.drain(step.timeout_ms === undefined ? undefined : { timeoutMs: timeOf(step.timeout_ms) }));
      case 'tick':
        return undefined;
      default:
        throw new Error(`no such verb: ${step.do}`);
    }
  }

  settle() {
    return this.#clock.settle();
  }

  stats() {
    const stats = this.#bulkhead.stats();
    const figures = Object.entries(FIGURES).map(([name, own]) => [name, stats[own]]);
    const rejected = Object.entries(REJECTED).map(([name, own]) => [name, stats.rejected[own]]);
    return { ...Object.fromEntries([...figures, ...rejected]), state: stats.state };
  }

  hostTimer() {
    return this.#clock.nextTimer;
  }

  idle() {
    return this.#hasSettled;
  }

  /** Permits that a scenario leaves taken would be reported as dropped. */
  dispose() {
    for (const permit of this.#permits) permit.release();
    this.#clock.uninstall();
  }

  #call(step, label) {
    const controller = new AbortController();
    label.own = { controller };
    const work = ({ signal }) => {
      this.#tell(label.name, 'running');
      return new Promise((finish, fail) => {
        Object.assign(label.own, { finish, fail });
        if (label.ignoresSignal) return;
        // Work goes on after a call time-out; it ends when its caller gives up, and when the
        // bulkhead is closed with abort.
        const end = () => {
          if (signal.reason === CANCELLED || signal.reason?.code === 'closed') fail(signal.reason);
        };
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      });
    };
    const answer = this.#bulkhead.exec(work, this.#options(step, label, controller));
    this.#follow(label, answer, 'completed');
  }

  #acquire(step, label) {
    const controller = new AbortController();
    label.own = { controller };
    label.isBounded = step.call_timeout_ms !== undefined;
    const answer = this.#bulkhead.acquire(this.#options(step, label, controller));
    this.#follow(label, answer, 'running', (permit) => this.#hold(label, permit));
  }

  /** None for an ordinary call: with options it would not take the way that most calls take. */
  #options(step, label, controller) {
    const { weight, timeout_ms: timeout, deadline_ms: deadline, call_timeout_ms: callTimeoutMs, aborted } = step;
    if (aborted) controller.abort(CANCELLED);
    const signal = aborted || label.isCancelled ? controller.signal : undefined;
    const options = { signal, weight, timeoutMs: timeOf(timeout), deadline, callTimeoutMs };
    return Object.values(options).every((value) => value === undefined) ? undefined : options;
  }

  /**
   * Reports how a call or an acquire is answered. What has no state once it could have been turned
   * away waits.
   */
  #follow(label, answer, state, keep = () => undefined) {
    answer.then(
      (value) => {
        keep(value);
        this.#tell(label.name, state);
      },
      (error) => this.#tell(label.name, stateOf(error)),
    );
    void afterTurns(IMMEDIATE_ANSWER).then(() => {
      if (label.state === '') this.#tell(label.name, 'waiting');
    });
  }

  #hold(label, permit) {
    label.own.permit = permit;
    label.held = permit.weight;
    this.#permits.push(permit);
    if (label.isBounded) this.#listen(label, permit.signal);
  }

  /** The bound that a permit brought shows at its signal. */
  #listen(label, signal) {
    signal.addEventListener('abort', () => {
      if (label.state === 'running') this.#tell(label.name, stateOf(signal.reason));
    });
  }

  #release(step, label) {
    const { permit } = label.own;
    if (step.permits === undefined) permit.release();
    else permit.release(step.permits);
    label.held -= step.permits ?? label.held;
    // One whose bound has passed keeps that answer.
    if (label.held === 0 && label.state === 'running') this.#tell(label.name, 'released');
  }

  #split(step, label) {
    const { whole } = label;
    label.isBounded = whole.isBounded;
    label.own = {};
    whole.held -= step.permits;
    this.#hold(label, whole.own.permit.split(step.permits));
    this.#tell(label.name, 'running');
  }

  #watch(ending) {
    void ending.then(() => {
      this.#hasSettled = true;
    });
  }
}

/** More than an answer given at once takes to get through `#follow`. */
const IMMEDIATE_ANSWER = 3;

async function afterTurns(count) {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}

function stateOf(error) {
  if (error === CANCELLED) return 'cancelled';
  if (error === FAILED) return 'failed';
  if (typeof error?.code === 'string') return error.code;
  throw error;
}
