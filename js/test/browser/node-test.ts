// What takes the place of `node:test` in a page: as much of it as the tests that run there use.

type Body = (context: Context) => unknown;

export interface Result {
  readonly name: string;
  /** Why it failed, empty if it did not. */
  readonly trouble: string;
}

const tests: { readonly name: string; readonly body: Body }[] = [];
let group = '';

export function describe(name: string, declare: () => void): void {
  const outer = group;
  group = `${group}${name}: `;
  declare();
  group = outer;
}

export function it(name: string, body: Body): void {
  tests.push({ name: `${group}${name}`, body });
}

/** All that were declared, one after the other. */
export async function run(): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, body } of tests) results.push({ name, trouble: await troubleOf(body) });
  return results;
}

async function troubleOf(body: Body): Promise<string> {
  const context = new Context();
  try {
    await body(context);
    return '';
  } catch (error) {
    return String((error as Error | undefined)?.stack ?? error);
  } finally {
    context.restore();
  }
}

class Context {
  readonly #undo: (() => void)[] = [];

  /** In place until the test is over. */
  readonly mock = {
    method: (target: Record<string, unknown>, name: string, value: unknown): void => {
      const before = target[name];
      this.#undo.push(() => void (target[name] = before));
      target[name] = value;
    },
  };

  restore(): void {
    for (const undo of this.#undo.reverse()) undo();
  }
}
