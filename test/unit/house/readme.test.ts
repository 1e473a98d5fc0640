// What the README names as proof is there.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const text = readFileSync(new URL('README.md', root), 'utf8');
const named = [...new Set(text.match(/\btest\/[\w./-]+\.ts\b/g))];

it('every test that the README names exists', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(fileURLToPath(new URL(path, root))))).toEqual([]);
});
