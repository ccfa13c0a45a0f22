// Plays one scenario on one surface and compares what came with what was wanted. It knows labels
// and turns, not how a surface works: the engines and the public API are driven by the same lines.
// No imports: this runs in Node and in the browser.

/**
 * What a surface is; each method may be async except `act`.
 * @typedef {object} Surface
 * @property {(at: number) => void} advance time passes to `at`: each timer due by then fires at its
 *   own time, and the host runs until nothing is ready
 * @property {(at: number) => void} jump the host was blocked until `at`: the clock is set, nothing
 *   fires
 * @property {(step: object, label?: Label) => void} act does the step at once, within the host's
 *   turn
 * @property {() => void} settle the host runs until nothing is ready, timers that are due now
 *   included
 * @property {() => object} stats the snapshot, flat, under the names of the format, and the `state`
 *   by its name
 * @property {() => number | null} [nextTimer] the engine's next deadline, for a surface that can
 *   see it
 * @property {() => number | null} [hostTimer] otherwise: when the host timer is armed, which may be
 *   earlier, never later
 * @property {() => boolean} idle            whether the promise of close or drain has settled
 * @property {() => void} [dispose]
 *
 * A label: `own` is the surface's to fill (an id, a permit, an abort controller); `whole` is that
 * of the permit that it is a part of.
 * @typedef {{ name: string, kind: 'call' | 'hand', state: string, working: boolean, ignoresSignal:
 *   boolean, isCancelled: boolean, own: any, whole?: Label }} Label
 */

export class Failure extends Error {
  constructor(step, message) {
    super(message);
    this.step = step;
  }
}

/**
 * Plays `scenario`; throws a `Failure` at the first step that goes wrong.
 * @param make `(options, tell) => Surface`; `tell(name, state)` reports each state of a label as it
 *   changes
 */
export async function play(scenario, make) {
  const timeline = new Timeline(scenario);
  let number = 0;
  let surface;
  try {
    surface = await make(optionsOf(scenario.bulkhead), (name, state) => timeline.tell(name, state));
    while (number < scenario.steps.length) await playTurn(timeline, surface);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(number, String(error?.stack ?? error));
  } finally {
    await surface?.dispose?.();
  }

  async function playTurn(timeline, surface) {
    let step = scenario.steps[number];
    let acted;
    timeline.changes.length = 0;
    // A time that is not reached, or a timer that fires wrongly, is the fault of the step that
    // wanted it.
    number += 1;
    if (step.late) await surface.jump(step.at);
    else await surface.advance(step.at);
    for (;;) {
      const label = timeline.labelOf(step, number);
      acted = timeline.changes.length;
      surface.act(step, label);
      const next = scenario.steps[number];
      // Nothing is awaited within a turn: the host must not get one.
      if (next?.same_turn !== true) break;
      step = next;
      number += 1;
    }
    await surface.settle();
    const differences = await compare(timeline, surface, step, acted);
    if (differences.length > 0) throw new Failure(number, differences.join('; '));
  }
}

/** The options of a bulkhead as JavaScript writes them. */
function optionsOf(bulkhead) {
  return Object.fromEntries(Object.entries(bulkhead).map(([key, value]) => [OPTIONS[key], timeOf(value)]));
}

const OPTIONS = {
  max_concurrent: 'maxConcurrent',
  max_queue: 'maxQueue',
  timeout_ms: 'timeoutMs',
  call_timeout_ms: 'callTimeoutMs',
  abandon_after_ms: 'abandonAfterMs',
};

/** A time of the format as a number. */
export function timeOf(value) {
  return value === 'infinity' ? Infinity : value;
}

class Timeline {
  /**
   * Labels that a step cancels: the others' calls need no signal, so that ordinary calls are played
   * as users make them.
   */
  #cancelled;
  /** @type {Map<string, Label>} */
  labels = new Map();
  /** The changes of this turn, in order: `{ name, state }`. */
  changes = [];
  /** Calls with valid arguments. */
  arrivals = 0;

  constructor({ steps }) {
    this.#cancelled = new Set(steps.filter((step) => step.do === 'cancel').map((step) => step.of));
  }

  tell(name, state) {
    const label = this.labels.get(name);
    if (!label) throw new Error(`the surface told of a label that there is not: ${name}`);
    if (label.state === state) return;
    if (state === 'running' && label.kind === 'call') label.working = true;
    // Work that is cancelled ends at once, unless it ignores its signal.
    if (['cancelled', 'closed'].includes(state) && label.state === 'running' && !label.ignoresSignal) label.working = false;
    label.state = state;
    this.changes.push({ name, state });
  }

  /** The label that a step makes or acts on; throws when the step is none that its label allows. */
  labelOf(step, number) {
    if (step.do === 'call' || step.do === 'acquire' || step.do === 'try_acquire') return this.#arrive(step, number);
    if (!ACT_ON.includes(step.do)) return undefined;
    const label = this.labels.get(step.of);
    if (!label) throw new Failure(number, `no label ${step.of}`);
    const trouble = notAllowed(step.do, label);
    if (trouble) throw new Failure(number, `${step.do} of ${label.name}, which ${trouble} (${label.state})`);
    if (step.do === 'finish' || step.do === 'fail') label.working = false;
    if (step.do !== 'split') return label;
    // A part of a permit counts as a call that arrives: its label is the step's own.
    return Object.assign(this.#arrive(step, number), { whole: label });
  }

  #arrive(step, number) {
    if (this.labels.has(step.as)) throw new Failure(number, `label ${step.as} stands twice`);
    const kind = step.do === 'call' ? 'call' : 'hand';
    const label = { name: step.as, kind, state: '', working: false, ignoresSignal: step.ignores_signal === true, own: undefined, isCancelled: this.#cancelled.has(step.as) };
    this.labels.set(step.as, label);
    this.arrivals += 1;
    return label;
  }
}

/** The verbs that act on a label. */
const ACT_ON = ['finish', 'fail', 'cancel', 'release', 'split', 'adjust'];

function notAllowed(verb, label) {
  switch (verb) {
    case 'finish':
    case 'fail':
      return label.working ? undefined : 'has no work that could settle';
    case 'cancel':
      return label.kind === 'call' || label.state === 'waiting' ? undefined : 'is no acquire that waits';
    case 'release':
    case 'split':
    case 'adjust':
      return label.kind === 'hand' && ['running', 'released', 'call_timeout'].includes(label.state) ? undefined : 'is no permit';
  }
}

async function compare(timeline, surface, step, acted) {
  const differences = [];
  const differ = (what, want, came) => differences.push(`${what}: wanted ${JSON.stringify(want)}, came ${JSON.stringify(came)}`);
  const own = step.as ?? step.of;
  if ('expect' in step) {
    const state = timeline.labels.get(own)?.state;
    if (state !== step.expect) differ(`state of ${own}`, step.expect, state ?? null);
  }
  // What the step itself did to its label is in `expect`; what happened to it before the step
  // acted, in `then`. Something that was due may be reported after the step, yet came before it: it
  // is no state that the step's verb brings.
  const brings = BRINGS[step.do];
  const isOther = ({ name, state }, index) => index < acted || name !== own || (brings !== undefined && state !== brings);
  const others = timeline.changes.filter(isOther).map(({ name, state }) => `${name}:${state}`);
  const then = step.then ?? [];
  if (then.length !== others.length || then.some((change, index) => change !== others[index])) differ('then', then, others);
  const stats = await surface.stats();
  for (const [key, want] of Object.entries(step.stats ?? {})) if (stats[key] !== want) differ(key, want, stats[key] ?? null);
  if ('state' in step && stats.state !== step.state) differ('state', step.state, stats.state);
  differences.push(...unbalanced(stats, timeline.arrivals));
  if ('next_timer' in step) compareTimer(surface, step.next_timer, differ);
  if ('idle' in step) {
    const idle = await surface.idle();
    if (idle !== step.idle) differ('idle', step.idle, idle);
  }
  return differences;
}

/**
 * The state that a verb brings the label it acts on; an arrival, whose label is new, may bring any.
 */
const BRINGS = { finish: 'completed', fail: 'failed', cancel: 'cancelled', release: 'released' };

function compareTimer(surface, want, differ) {
  if (surface.nextTimer) {
    const came = surface.nextTimer();
    if ((came === null) !== (want === null) || Math.abs(came - want) > NANOSECOND) differ('next_timer', want, came);
  } else if (want !== null) {
    const came = surface.hostTimer();
    if (came === null || came > want + NANOSECOND) differ('host timer no later than', want, came);
  }
}

const NANOSECOND = 1e-6;

/** Nothing is ever lost: the books balance after every step, whether the scenario asks or not. */
function unbalanced(s, arrivals) {
  const ended = s.completed + s.failed + s.unclaimed + s.abandoned_runs + s.leaked + s.running;
  const rejected = s.full + s.queue_timeout + s.cancelled + s.closed + s.too_heavy;
  const arrived = s.admitted + rejected + s.queued;
  const found = [];
  if (s.admitted !== ended) found.push(`the books: admitted ${s.admitted}, accounted for ${ended}`);
  if (arrivals !== arrived) found.push(`the books: ${arrivals} calls, accounted for ${arrived}`);
  return found;
}
