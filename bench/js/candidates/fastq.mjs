import fastq from 'fastq';

const pool = (concurrency) => () => fastq.promise((work) => work(), concurrency);
const shown = 'fastq.promise((work) => work(), 10).push(fn)';
const note = 'no bound on the queue nor on the wait';

/** The work is the queue's own, and a call hands it its parameters. */
const worker = {
  shown: 'fastq.promise(fn, 10).push()',
  make: ({ fn }) => fastq.promise(fn, 10),
  call: 'it.push()',
};

export const uses = {
  exec: { shown, make: pool(10), call: 'it.push(fn)' },
  wrap: worker,
  crowd: { shown, make: pool(10), call: 'it.push(fn)', note },
  waiting: { shown: shown.replace('10', '1'), make: pool(1), call: 'it.push(fn)', note },
};
