import fastq from 'fastq';

const pool = (concurrency) => () => fastq.promise((work) => work(), concurrency);
const shown = 'fastq.promise((work) => work(), 10).push(fn)';
const note = 'no bound on the queue nor on the wait; work runs in the async context of whoever was before it';

export const uses = {
  exec: { shown, make: pool(10), call: 'it.push(fn)' },
  crowd: { shown, make: pool(10), call: 'it.push(fn)', note },
  waiting: { shown: shown.replace('10', '1'), make: pool(1), call: 'it.push(fn)', note },
};
