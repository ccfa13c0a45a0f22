// The platforms that get a native engine. As a command it prints this machine's name, or the
// compiler's target for a name.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const platforms = JSON.parse(readFileSync(new URL('../src/engines/platforms.json', import.meta.url), 'utf8'));

/** As the package itself names it, see src/engines/platform.ts. */
export function platformHere() {
  const { platform, arch } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  return `linux-${arch}-${process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'gnu'}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(answer(process.argv[2]));

function answer(name) {
  if (name === undefined) return platformHere();
  const found = platforms.find((platform) => platform.name === name);
  if (found === undefined) throw new Error(`${name} is no platform; one of ${platforms.map((platform) => platform.name).join(', ')}`);
  return found.target;
}
