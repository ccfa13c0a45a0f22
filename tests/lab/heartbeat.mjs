// Notices when the event loop stands still: what a stalled client or server measures says nothing
// about bulkheads.

const BEAT_MS = 5;

/** Beats until it is stopped; `stop` answers the longest delay of a beat, in milliseconds. */
export function startHeartbeat() {
  let worst = 0;
  let last = performance.now();
  const beat = () => {
    const now = performance.now();
    worst = Math.max(worst, now - last - BEAT_MS);
    last = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  const stop = () => {
    beat();
    clearInterval(timer);
    return worst;
  };
  return { stop };
}
