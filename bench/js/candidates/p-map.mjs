import pMap from 'p-map';

export const uses = {
  map: { shown: 'pMap(items, fn, { concurrency: 10 })', make: () => pMap, call: 'it(items, fn, { concurrency: 10 })' },
};
