// Patterns of a search: the RE2 syntax, and the limits of their cost.
import { describe, expect, it } from 'vitest';
import { patternCompiler, usesPatterns } from '../../../daemon/actors/search/service.ts';

const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a pattern', () => {
  it('that backtracks exponentially in other engines is evaluated', async () => {
    const compile = await patternCompiler();
    const line = `${'a'.repeat(4_000)}!`;
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(a?){30}a{30}b', '(.*)*x'])
      expect(compile(pattern, 'k')(line)).toBe(false);
  });

  it.each([
    '(?=a)',
    '(?<!a)b',
    '(a)\\1',
    '[',
    'a{2000}',
    'a'.repeat(1_001),
    '(a{100}){9}',
    '('.repeat(900) + ')'.repeat(900),
  ])('is refused with the name of its parameter if it is too large or unsupported: %s', async (pattern) => {
    const compile = await patternCompiler();
    expect(thrownBy(() => compile(pattern, 'name.like'))).toMatchObject({
      code: 'VALIDATION',
      detail: { field: 'name.like' },
      message: expect.stringMatching(/^name\.like /),
    });
  });

  it('is refused when the patterns of one search have used up their time together', async () => {
    const compile = await patternCompiler();
    const slow = compile('(?i)[ab]*a[ab]{90}\\bd', 'logs.like');
    const line = Array.from({ length: 4_096 }, (_, index) => 'ab'[(index * index * 7) % 5 > 2 ? 0 : 1]).join('');
    const tries = () => {
      for (let index = 0; index < 1_000_000; index += 1) slow(`${line}${index}d`);
    };
    expect(thrownBy(tries)).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/too long/) });
  });

  it('is applied only if the parameter has a pattern operator', () => {
    expect(usesPatterns({ 'name.like': 'x' })).toBe(true);
    expect(usesPatterns({ 'name.nlike': 'x' })).toBe(true);
    expect(usesPatterns({ 'name.eq': 'like', like: 'x' })).toBe(false);
  });
});
