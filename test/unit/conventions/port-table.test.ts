// The table of port suites in docs/conformance/tests.md names every test file that runs a suite, and nothing else.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** The suite that a test file runs; undefined if it runs none. */
const suiteOf = (file: string): string | undefined =>
  /\b(\w+)Suite\(/.test(read(`test/ports/${file}`))
    ? /from '\.\/(\w+)\.suite\.ts'/.exec(read(`test/ports/${file}`))?.[1]
    : undefined;

it('the table of port suites has every file that runs a suite, beside that suite', () => {
  const section = read('docs/conformance/tests.md').split('## Suites of the ports\n')[1]?.split('\n## ')[0] ?? '';
  let suite = '';
  const listed = [
    ...section.matchAll(/^\| (?:\[(\w+)\]\(\S+\.suite\.ts\) )?\|.*\((?:\.\.\/)+test\/ports\/(\S+)\) \|$/gm),
  ].map(([, named, file]) => {
    suite = named ?? suite;
    return `${file} runs ${suite}`;
  });
  const running = readdirSync(new URL('../../ports', import.meta.url))
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const found = suiteOf(file);
      return found === undefined ? [] : [`${file} runs ${found}`];
    });
  expect(running.length).toBeGreaterThan(5);
  expect(listed.toSorted()).toEqual(running.toSorted());
});
