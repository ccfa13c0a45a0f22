// How long the garbage collector has had the thread, where the host reports it.

export function garbageWatch(host) {
  if (host.observeGc === undefined) return { milliseconds: async () => null };
  let total = 0;
  const observer = host.observeGc((duration) => { total += duration; });
  return {
    /** Since the watch began. */
    milliseconds: async () => {
      // What has been observed is reported in turns of their own.
      for (let turn = 0; turn < 3; turn += 1) await host.nextTurn();
      for (const { duration } of observer.takeRecords()) total += duration;
      return total;
    },
  };
}
