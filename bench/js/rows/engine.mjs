// 11: what one call costs beside a thousand waiters and beside a million, at the engine, without
// the package around it.

import { engineCrowd } from '../engine-crowd.mjs';
import { alternately, median, round } from '../harness.mjs';
import { growing } from '../row.mjs';

const FEW = 1_000;
const MANY = 1_000_000;
const LENGTHS = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const CALLS = 40_000;

const MOVES = {
  release: { title: 'acquire + release', work: 'acquire; finish; nextEvent; start', act: 'passOn', isPatient: true },
  cancel: { title: 'enqueue + cancel', work: 'acquire; abort; nextEvent', act: 'comeAndGo', isPatient: true },
  timeout: { title: 'enqueue + time-out', work: 'handleTimeout; nextEvent; acquire', act: 'timeOut', isPatient: false },
  anywhere: { title: 'cancel anywhere', work: 'abort of any waiter; nextEvent; acquire', act: 'cancelAny', isPatient: true },
};

const ours = { use: 'waiting', isOurs: true, isLong: true, rounds: () => 1 };

export const jobs = [
  {
    ...ours,
    id: '11-engine',
    sample: async (_, host) => {
      const costs = {};
      for (const [move, { act, isPatient }] of Object.entries(MOVES)) costs[move] = await fewAndMany(host, act, isPatient);
      return { costs };
    },
    assemble: (measured) => ({ rows: measured.flatMap((each) => Object.keys(MOVES).map((move) => row(move, each))) }),
  },
  { ...ours, id: 'curve-engine', sample: points, assemble: curves },
];

/** In turns, so that what slows the machine down slows both of them. */
async function fewAndMany(host, act, isPatient) {
  const crowds = [await engineCrowd(host.engine, FEW, isPatient), await engineCrowd(host.engine, MANY, isPatient)];
  const turns = await alternately(host, CALLS, crowds.map((crowd) => async (count) => crowd[act](count)));
  return turns.map(([few, many]) => ({ [FEW]: few, [MANY]: many }));
}

function row(move, { samples, ...rest }) {
  const { title, work } = MOVES[move];
  const known = {
    id: `11-engine-${move}`,
    title: `${title} at the engine, 1,000,000 waiters against 1,000`,
    unit: 'ns per call',
    measure: 'whole time',
    work: `${work}; the queue keeps its length: one call comes, one goes`,
    options: 'maxConcurrent: 1',
  };
  const costs = samples.get('bulkheads').flatMap((sample) => sample.costs[move].map((turn) => ({ costs: turn })));
  return { ...growing(known, { ...rest, samples: new Map([['bulkheads', costs]]) }, FEW, MANY), calls: CALLS };
}

async function points(_, host) {
  const series = {};
  for (const [move, { act, isPatient }] of Object.entries(MOVES)) {
    series[move] = [];
    for (const length of LENGTHS) {
      const crowd = await engineCrowd(host.engine, length, isPatient);
      const turns = await alternately(host, CALLS, [async (count) => crowd[act](count)]);
      series[move].push(round(median(turns.flat())));
    }
  }
  return { series };
}

function curves(measured) {
  const series = measured.flatMap(({ engine, samples }) =>
    Object.entries(samples.get('bulkheads')[0].series).map(([move, y]) => ({ name: `${MOVES[move].title}, ${engine}`, y })),
  );
  const title = 'the engine in JavaScript, one call against queue length';
  return { curves: [{ id: 'curve-engine', title, unit: 'ns per call', x: LENGTHS, series }] };
}
