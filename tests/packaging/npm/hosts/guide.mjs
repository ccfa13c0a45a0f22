// The snippets of docs/guides/bundlers.md, by the heading above them.

import { readFileSync } from 'node:fs';

const BLOCK = /^```(?<language>\w+)(?: title="(?<title>[^"]+)")?\n(?<code>[^]*?)^```$/gm;

/** From a heading to what a reader does there: files with their contents, then lines to type. */
export function readGuide(path) {
  const sections = readFileSync(path, 'utf8').split(/^#+ /m).slice(1);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), steps(text)]).filter(([, { files, lines }]) => files.length + lines.length > 0));
}

function steps(text) {
  const files = [];
  const lines = [];
  for (const { groups } of text.matchAll(BLOCK)) {
    const { language, title, code } = groups;
    if (title !== undefined) files.push([title, code]);
    else if (language === 'sh') lines.push(...code.trimEnd().split('\n'));
    else throw new Error(`this snippet is neither a file nor lines to type:\n${code}`);
  }
  return { files, lines };
}
