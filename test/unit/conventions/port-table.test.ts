// The table of the executors' port suite in docs/testing.md names every case of the suite.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

it('the table of the port suite has the cases of the suite, in their order', () => {
  const cases = [...read('test/ports/executor.suite.ts').matchAll(/^ {4}it\(\s*'([^'\n]+)'/gm)].map(
    ([, title]) => title,
  );
  expect(cases.length).toBeGreaterThan(25);
  const table =
    read('docs/testing.md')
      .split('### 3.1 The port suite of executors')[1]
      ?.split(/\n#{2,3} /)[0] ?? '';
  const rows = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, title]) => title).slice(1);
  expect(rows.filter((title) => !title?.startsWith('---'))).toEqual(cases);
});
