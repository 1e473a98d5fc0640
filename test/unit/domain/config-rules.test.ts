// Rules of configs: actor lists, sealed values that are sent back, and the text that executions get.
import { describe, expect, it } from 'vitest';
import {
  configsText,
  demandConfigName,
  haveSameNames,
  namesIn,
  readActorList,
  SEALED,
  valueChange,
  withoutNames,
} from '../../../daemon/domain/actors/config.ts';

const refusal = (message: unknown, field: string) =>
  expect.objectContaining({ code: 'VALIDATION', message, detail: { field } });

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
    expect(haveSameNames('a,b', 'a,c')).toBe(false);
  });
  it('keeps its exact text if nothing is removed', () => {
    expect(withoutNames(' a , b', new Set(['c']))).toBe(' a , b');
    expect(withoutNames(' a , b', new Set(['a']))).toBe('b');
    expect(withoutNames(' a , b,c', new Set(['b', 'x']))).toBe('a,c');
  });
  it('names at most a thousand actors', () => {
    const list = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join();
    expect(readActorList(`${list(1_000)},a1`).size).toBe(1_000);
    expect(() => readActorList(list(1_001))).toThrow(refusal('actors must name at most 1000 actors.', 'actors'));
  });
});

describe('the name of a config', () => {
  it.each(['db', 'Ünicode-1._~|', 'x'.repeat(256), '.a', 'a.', 'cron2'])('may be %s', (name) => {
    expect(() => demandConfigName(name)).not.toThrow();
  });

  const reserved = ['executions', 'nonces', 'logs', 'messages', 'adapters', 'admin'];
  const more = ['aliases', 'configs', 'permissions', 'search', 'utilization', 'cron', 'CRON'];
  it.each<[string, readonly string[]]>([
    ['name must not be empty.', ['']],
    ['name must be at most 256 characters.', ['x'.repeat(257)]],
    ['name is a reserved word. Choose another name.', [...reserved, ...more]],
    ['name must not consist of dots only.', ['.', '...']],
    [
      'name must not contain spaces, invisible characters or any of \\ " : / ? # [ ] @ ! $ & \' ( ) * + , ; = %.',
      [...'\\":/?#[]@!$&\'()*+,;=% \t\u0000\u200b\u00a0'].map((letter) => `a${letter}b`),
    ],
  ])('is refused: %s', (message, names) => {
    for (const name of names) expect(() => demandConfigName(name), name).toThrow(refusal(message, 'name'));
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
    ['in a config that becomes public', stored, false, stored, 'is the sealed text of a secret.'],
    ['of an earlier version', `${stored}x`, true, stored, 'is sealed text, but not that of the current value'],
    ['in a config without a sealed value', stored, true, undefined, 'is sealed text, but not that of the current'],
  ] as const)('%s is refused', (_, value, secret, present, why) => {
    const message = expect.stringMatching(`^value ${why}`);
    expect(() => valueChange(value, secret, present)).toThrow(refusal(message, 'value'));
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
