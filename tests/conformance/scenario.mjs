// Runs scenario files on a surface and counts. What a surface is stands in lib/timeline.mjs.
// Nothing of Node is imported here, so that a page runs the same lines; in Node, lib/files.mjs
// reads the files.

import { faults, parse, SURFACES } from './lib/format.mjs';
import { Failure, play } from './lib/timeline.mjs';

export { timeOf } from './lib/timeline.mjs';

/**
 * Runs every scenario of `files` and answers the counts; prints a line for each failure and each
 * skip, and the closing line.
 * @param {{ name: string, text: string }[]} files
 * @param {string} surface    one of SURFACES
 * @param make                see `play`
 * @param {(line: string) => void} print
 * @param {(scenario: object) => string | undefined} skips why the surface cannot express a
 *   scenario, if it cannot
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function run(files, surface, make, print, skips = () => undefined) {
  if (!SURFACES.includes(surface)) throw new Error(`no such surface: ${surface}`);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) await runFile(file);
  if (counts.passed + counts.failed + counts.skipped === 0) {
    counts.failed = 1;
    print('no scenario found');
  }
  print(`${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`);
  return counts;

  async function runFile({ name, text }) {
    let scenarios;
    try {
      scenarios = parse(text);
    } catch (error) {
      counts.failed += 1;
      return print(`${name}: ${error.message}`);
    }
    for (const scenario of scenarios) await runScenario(name, scenario);
  }

  async function runScenario(file, scenario) {
    const where = `${file}: ${scenario?.scenario ?? 'a scenario without a name'}`;
    const wrong = faults(scenario);
    if (wrong.length > 0) return fail(where, scenario, wrong[0].step, wrong.map(({ message }) => message).join('; '));
    const why = scenario.surfaces && !scenario.surfaces.includes(surface) ? `only for ${scenario.surfaces.join(', ')}` : skips(scenario);
    if (why !== undefined) {
      counts.skipped += 1;
      return print(`skipped: ${where}: ${why}`);
    }
    try {
      await play(scenario, make);
      counts.passed += 1;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      fail(where, scenario, error.step, error.message);
    }
  }

  function fail(where, scenario, number, message) {
    counts.failed += 1;
    const step = scenario?.steps?.[number - 1];
    const told = step ? ` (at ${step.at} ${step.do} ${step.as ?? step.of ?? step.to ?? ''}`.trimEnd() + ')' : '';
    print(`${where}: step ${number}${told}: ${message}`);
  }
}
