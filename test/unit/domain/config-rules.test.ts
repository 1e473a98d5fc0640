// Rules of configs: actor lists, sealed values that are sent back, and the text that executions get.
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
  it('is comma-separated, and ignores spaces, empty items and duplicates', () => {
    expect([...namesIn(' a, b,,a ,c ')]).toEqual(['a', 'b', 'c']);
    expect(namesIn('').size).toBe(0);
  });
  it('is compared as a set', () => {
    expect(haveSameNames('a,b', ' b , a,')).toBe(true);
    expect(haveSameNames('a,b', 'a')).toBe(false);
    expect(haveSameNames('a', 'a,b')).toBe(false);
    expect(haveSameNames('ab', 'a')).toBe(false);
  });
  it('keeps its exact text if nothing is removed', () => {
    expect(withoutNames(' a , b', new Set(['c']))).toBe(' a , b');
    expect(withoutNames(' a , b', new Set(['a']))).toBe('b');
  });
});

describe('a sealed value that is sent back', () => {
  const stored = `${SEALED}0123456789abcdef:AAAA`;
  it.each([
    ['is replaced by another text', 'x', true, stored, 'set'],
    ['is replaced by a value that is not text', { a: stored }, true, stored, 'set'],
    ['is kept if unchanged', stored, true, stored, 'keep'],
  ] as const)('%s', (_, value, secret, present, change) => {
    expect(valueChange(value, secret, present)).toBe(change);
  });
  it.each([
    ['in a config that becomes public', stored, false, stored],
    ['of an earlier version', `${stored}x`, true, stored],
    ['in a config without a sealed value', stored, true, undefined],
  ] as const)('%s is refused', (_, value, secret, present) => {
    expect(() => valueChange(value, secret, present)).toThrow(Failure);
  });
});

describe('_actor_configs', () => {
  it('is an object of config names with the values as written', () => {
    expect(configsText([])).toBe('{}');
    expect(
      configsText([
        ['__proto__', '1e400'],
        ['q"', '{ "a":1 }'],
      ]),
    ).toBe('{"__proto__":1e400,"q\\"":{ "a":1 }}');
  });
});
