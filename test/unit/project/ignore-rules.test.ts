// The rules of .dockerignore: what Docker documents, and rules for which a backtracking matcher needs years.
import { expect, it } from 'vitest';
import { ignoreRules } from '../../../src/local/project/ignore-rules.ts';

it.each([
  ['*/temp*', 'a/temporary.txt', true],
  ['*/temp*', 'a/temp/deep/file', true],
  ['*/temp*', 'a/b/temporary.txt', false],
  ['*/*/temp*', 'a/b/temporary.txt', true],
  ['temp?', 'tempa', true],
  ['temp?', 'temp', false],
  ['temp?', 'temp/', false],
  ['**/*.go', 'x.go', true],
  ['**/*.go', 'a/b/x.go', true],
  ['**/*.go', 'a/b/x.go.txt', false],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['a/**/z', 'a/bz', false],
  ['a/**', 'a/b', true],
  ['a/**', 'ab', false],
  ['**', 'any/thing', true],
  ['/foo/bar/', 'foo/bar/x', true],
  ['./foo//bar', 'foo/bar', true],
  ['foo', 'a/foo', false],
  ['foo', 'foobar', false],
  ['[a-c]x', 'bx', true],
  ['[^a-c]x', 'bx', false],
  ['[a', '[a', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['a.b', 'axb', false],
  ['😀?', '😀😀', true],
  ['# a', '# a', false],
  ['!', '!', false],
])('with the rule %s the path %s is ignored: %s', (rule, name, ignored) =>
  expect(ignoreRules(rule).ignores(name)).toBe(ignored),
);

it('the last ignore rule that matches decides', () => {
  const { ignores, takesBack } = ignoreRules('\ufeff*.md\r\n!README*.md\nREADME-secret.md\n');
  expect(['a.md', 'README.md', 'README-secret.md'].map(ignores)).toEqual([true, false, true]);
  expect(takesBack).toBe(true);
  expect(ignoreRules('# !x\na').takesBack).toBe(false);
});

// A matcher that tries the ways through a rule one after another does not end within the time limit of the suite.
it.each([
  ['ten stars between letters', 'a*'.repeat(10)],
  ['a thousand stars between letters', 'a*'.repeat(1000)],
  ['pairs of stars between folders', '**/a/'.repeat(200)],
  ['stars and pairs of stars', '*a**/'.repeat(200)],
])('an ignore rule of %s is matched in linear time', (_case, rule) => {
  expect(ignoreRules(`${rule}b`).ignores(`${'a'.repeat(2000)}/${'a/'.repeat(1000)}c`)).toBe(false);
});
