// Where calls came from, for the stacks of their errors: without the frames of this package, and
// also for a call that has waited.

/** A stack that the host makes a text of when it is read. */
export interface Place {
  readonly stack?: unknown;
}

/** The methods that users call. What stands above one of them in a stack is this package's own. */
export const entrances: unknown[] = [];

type Capture = (target: object, below?: unknown) => void;

/**
 * In the midst of a call of the user's; `entrance` is what was called, if that is none of
 * `entrances`.
 */
export function placeHere(entrance?: unknown): Place {
  const { captureStackTrace: capture } = Error as { readonly captureStackTrace?: Capture };
  if (capture === undefined) return new Error();
  // Options 1.7.1
  for (const below of [entrance, ...entrances]) {
    const place: Place = {};
    // A function that stands nowhere in the stack leaves nothing of it.
    if (below !== undefined) capture(place, below);
    if (framesOf(place) !== '') return place;
  }
  return {};
}

/** Lets an error show the place of its call. */
export function showPlace(error: Error, place: Place | undefined): void {
  if (place === undefined) return;
  const value = `${error.name}: ${error.message}${framesOf(place)}`;
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true });
}

function framesOf({ stack }: Place): string {
  const text = typeof stack === 'string' ? stack : '';
  const start = text.indexOf('\n    at ');
  // Other hosts than V8 have no line for the error above the frames.
  return start >= 0 || 'captureStackTrace' in Error ? text.slice(start < 0 ? text.length : start) : `\n${text}`;
}
