// zone.js, where it is around: a zone is an async context of its own, beside those of the host.

import type { Scope } from './host.js';

export interface Zone {
  readonly run: <Answer>(fn: () => Answer) => Answer;
}

/** Looked up at each use: it may be loaded after this package. */
function zones(): { readonly current: Zone; readonly root: Zone } | undefined {
  const { Zone: zone } = globalThis as { Zone?: { readonly current?: Zone; readonly root?: Zone } };
  const { current, root } = zone ?? {};
  return typeof current?.run === 'function' && typeof root?.run === 'function' ? { current, root } : undefined;
}

/** The zone of the code that calls this. */
export function zoneHere(): Zone | undefined {
  return zones()?.current;
}

/** Outside of every caller's zone: a timer of ours must not keep a page from being stable. */
export function outsideZones<Answer>(act: () => Answer): Answer {
  const root = zones()?.root;
  // Running 7.2, Running 7.3
  return root === undefined ? act() : root.run(act);
}

/** A scope that is also the zone of the code that calls this. */
export function inZone(scope: Scope): Scope {
  const zone = zoneHere();
  if (zone === undefined) return scope;
  // Running 7.3
  return { runInAsyncScope: (fn, self) => zone.run(() => scope.runInAsyncScope(fn, self)) };
}
