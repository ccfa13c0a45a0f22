// Measures jobs, wherever that happens: each sample in a process (or a page) of its own, so that no
// candidate pays for the garbage, the timers and the deoptimised code of another. A runtime is
// `{ name, take }`: `take(id, name, engine)` takes a sample there.

import { contendersFor } from './candidates/index.mjs';
import { shuffled } from './harness.mjs';

/**
 * A contender that takes longer for one sample gets no further turn, nor does one that is this far
 * behind the best.
 */
const LONG_MS = 5_000;
const FAR_BEHIND = 4;

/** Who is worth a look in a quick run. */
const CLOSE = ['cockatiel', 'cockatiel, cooperative', 'p-limit', 'p-map', 'async-sema', 'fastq', 'hand-written queue', 'signals alone'];

export async function measureAll(jobs, { runtimes, engines, quick, rounds, judge, tell }) {
  const rows = [];
  const curves = [];
  for (const job of jobs) {
    for (const { name, take } of job.everyRuntime ? runtimes : runtimes.slice(0, 1)) {
      const start = performance.now();
      const figures = job.measure ? await job.measure() : await sampled(job, { take, engines, quick, rounds });
      rows.push(...(figures.rows ?? []).map((row) => judge({ ...row, ...(name && { runtime: name }) })));
      curves.push(...(figures.curves ?? []));
      tell(`${job.id}${name ? `, ${name}` : ''}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    }
  }
  return { rows, curves };
}

/** In every round everybody has one turn: each engine of ours, and each peer. */
async function sampled(job, { take, engines, quick, rounds }) {
  const contenders = (await contendersFor(job.use)).filter(({ name }) => name === 'bulkheads' || isPeer(name, job, quick));
  const entrants = contenders.flatMap(({ name }) => (name === 'bulkheads' ? engines.map((engine) => ({ name, engine })) : [{ name }]));
  for (const entrant of entrants) entrant.samples = [];
  for (let round = 0; round < (rounds ?? job.rounds({ quick })); round += 1) {
    for (const entrant of shuffled(entrants)) {
      if (!entrant.isDone) await takeTurn(entrant, () => take(job.id, entrant.name, entrant.engine));
    }
    for (const entrant of entrants) entrant.isDone ||= isFarBehind(entrant, entrants);
  }
  return job.assemble(engines.map((engine) => seenBy(engine, contenders, entrants)), { quick });
}

function isPeer(name, job, quick) {
  return !job.isOurs && (!quick || (job.rivals ?? CLOSE).includes(name));
}

async function takeTurn(entrant, take) {
  const start = performance.now();
  const sample = await take();
  entrant.missing = sample.missing;
  if (sample.missing === undefined) entrant.samples.push(sample);
  entrant.isDone = sample.missing !== undefined || (performance.now() - start > LONG_MS && entrant.name !== 'bulkheads');
}

function isFarBehind({ name, samples: [first] }, entrants) {
  const best = Math.min(...entrants.map(({ samples: [other] }) => other?.cost ?? Infinity));
  return name !== 'bulkheads' && first.cost > FAR_BEHIND * best;
}

/** What one engine has beside it. */
function seenBy(engine, contenders, entrants) {
  const beside = entrants.filter((entrant) => (entrant.engine ?? engine) === engine);
  const missing = beside.filter((entrant) => entrant.missing !== undefined).map(({ name, missing: why }) => ({ name, why }));
  const samples = new Map(beside.filter((entrant) => entrant.samples.length > 0).map((entrant) => [entrant.name, entrant.samples]));
  return { engine, contenders, samples, missing };
}
