// Finds and reads scenario files, for runners in Node.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * The files of folders (their own `*.json`, by name) and of paths, each with its text; throws on a
 * path that is not there.
 */
export function readScenarioFiles(paths) {
  return paths.flatMap(filesOf).map((path) => ({ name: basename(path), text: readFileSync(path, 'utf8') }));
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).filter((name) => name.endsWith('.json')).sort().map((name) => join(path, name));
}
