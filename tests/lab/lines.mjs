// The wire between the lab's director (run.py) and what it directs: one JSON object a line in, one
// JSON object a line out.

import { createInterface } from 'node:readline';

/**
 * Answers each line of standard input, one after the other, by the handler that its `do` names;
 * ends with the input.
 */
export async function answerLines(handlers) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: name, ...options } = JSON.parse(line);
    say(await handlers[name](options).catch((error) => ({ error: String(error?.stack ?? error) })));
  }
}

export function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
