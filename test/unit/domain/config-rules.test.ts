// Rules of configs: lists, sealed values that come back, the text that actors get.
import { describe, expect, it } from 'vitest';
import {
  configsText,
  haveSameNames,
  namesIn,
  SEALED,
  valueChange,
  withoutNames,
} from '../../../daemon/domain/actors/config.ts';
import { Failure } from '../../../daemon/domain/failure.ts';

describe('the list of actors', () => {
  it('is comma-separated; spaces, empty places and repeats do not count', () => {
    expect([...namesIn(' a, b,,a ,c ')]).toEqual(['a', 'b', 'c']);
    expect(namesIn('').size).toBe(0);
  });
  it('is compared as a set', () => {
    expect(haveSameNames('a,b', ' b , a,')).toBe(true);
    expect(haveSameNames('a,b', 'a')).toBe(false);
    expect(haveSameNames('a', 'a,b')).toBe(false);
    expect(haveSameNames('ab', 'a')).toBe(false);
  });
  it('stays letter by letter where nothing is taken out', () => {
    expect(withoutNames(' a , b', new Set(['c']))).toBe(' a , b');
    expect(withoutNames(' a , b', new Set(['a']))).toBe('b');
  });
});

describe('a value that comes back sealed', () => {
  const stored = `${SEALED}0123456789abcdef:AAAA`;
  it.each([
    ['another text', 'x', true, stored, 'set'],
    ['no text', { a: stored }, true, stored, 'set'],
    ['the same', stored, true, stored, 'keep'],
  ] as const)('%s', (_, value, secret, present, change) => {
    expect(valueChange(value, secret, present)).toBe(change);
  });
  it.each([
    ['to be made public', stored, false, stored],
    ['of before', `${stored}x`, true, stored],
    ['where nothing is sealed', stored, true, undefined],
  ] as const)('%s is refused', (_, value, secret, present) => {
    expect(() => valueChange(value, secret, present)).toThrow(Failure);
  });
});

describe('_actor_configs', () => {
  it('holds names as JSON and values as they are', () => {
    expect(configsText([])).toBe('{}');
    expect(
      configsText([
        ['__proto__', '1e400'],
        ['q"', '{ "a":1 }'],
      ]),
    ).toBe('{"__proto__":1e400,"q\\"":{ "a":1 }}');
  });
});
