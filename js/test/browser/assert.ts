// What takes the place of `node:assert/strict` in a page: as much of it as the tests that run there
// use.

type Matcher = RegExp | ((error: Error) => boolean) | (new (...parameters: never[]) => Error) | Record<string, unknown>;

function equal(came: unknown, wanted: unknown, message?: string): void {
  if (!Object.is(came, wanted)) differ(came, wanted, message);
}

function notEqual(came: unknown, other: unknown, message?: string): void {
  if (Object.is(came, other)) fail(message ?? `came ${show(came)}, which it must not be`);
}

function deepEqual(came: unknown, wanted: unknown, message?: string): void {
  if (!isSame(came, wanted)) differ(came, wanted, message);
}

function ok(value: unknown, message?: string): void {
  if (!value) fail(message ?? `came ${show(value)}, which is not true`);
}

function match(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) differ(text, pattern);
}

function throws(act: () => unknown, matcher?: Matcher): void {
  let error: unknown;
  try {
    act();
  } catch (caught) {
    error = caught;
    check(error, matcher);
    return;
  }
  fail('it did not throw');
}

async function rejects(promise: Promise<unknown>, matcher?: Matcher): Promise<void> {
  await promise.then(
    () => fail('it did not reject'),
    (error: unknown) => check(error, matcher),
  );
}

function fail(message: string): never {
  throw new Error(message);
}

export default { equal, notEqual, deepEqual, ok, match, throws, rejects, fail };

function check(error: unknown, matcher: Matcher | undefined): void {
  if (matcher === undefined) return;
  if (matcher instanceof RegExp) {
    match(String(error), matcher);
  } else if (typeof matcher === 'object') {
    for (const [key, value] of Object.entries(matcher)) {
      const came = (error as Record<string, unknown>)[key];
      if (value instanceof RegExp) match(String(came), value);
      else deepEqual(came, value, key);
    }
  } else {
    const isClass = matcher === Error || matcher.prototype instanceof Error;
    ok(isClass ? error instanceof matcher : (matcher as (error: Error) => boolean)(error as Error), `came ${String(error)}`);
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (one instanceof Set) return isSame([...one], [...(other as Set<unknown>)]);
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]));
}

function differ(came: unknown, wanted: unknown, message?: string): never {
  return fail(`${message ?? 'not as wanted'}: wanted ${show(wanted)}, came ${show(came)}`);
}

function show(value: unknown): string {
  if (value instanceof Set) return `a set of ${show([...value])}`;
  if (value instanceof Error || value instanceof RegExp || value === undefined || typeof value === 'number') return String(value);
  return JSON.stringify(value);
}
