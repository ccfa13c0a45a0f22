// What an entry of the package knows of the engine that works here.

import type { CreateEngine, EngineKind, EngineOptions } from './engine.js';
import type { Settings, SharedEngine } from './shared.js';

export interface LoadedEngine {
  readonly kind: EngineKind;
  /** Throws `error` if this engine cannot work here. */
  readonly create: CreateEngine;
  /** Throws if threads can have nothing in common here. */
  readonly sharing: () => Sharing;
  /** Why the first choice could not be loaded. */
  readonly error: Error | undefined;
}

/** The cores that all threads of the process have in common, by name. */
export interface Sharing {
  /** Throws as `CreateEngine` does. */
  settings(options: EngineOptions, flags: number): Settings;
  /**
   * Joins the core of this name; makes it if there is none and there are settings. `wake` is
   * called, in a turn of its own, when another thread has notified this one. Where the core that
   * there is has other settings it answers those.
   */
  open(name: string, wake: () => void, settings: Settings | undefined): SharedEngine | { readonly differs: Settings } | undefined;
  /** Whether this engine's core still has its name. */
  isCurrent(engine: SharedEngine): boolean;
  /** Frees the name; threads that have its core keep that. */
  reset(name: string): void;
}
