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
import { configEnvironmentFault, resolveVariables } from '../../../daemon/domain/actors/config-environment.ts';

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

const config = (name: string, text: string, isSecret = false) => ({ name, text, isSecret });
const received = [
  config('api.key', '"s3cret\\nline"', true),
  config('db', ' {"user":"ana","a":{"b":[1,{"c":"deep"}]},"n":12345678901234567890,"__proto__":"own","e":""} '),
  config('list', '[1.50,true,null]', true),
];
const resolve = (reference: { config: string; path?: string }) =>
  resolveVariables({ id: 'A1', configEnvironment: { X: reference } }, received);

describe('the value of a variable from a config', () => {
  it.each([
    [{ config: 'api.key' }, 's3cret\nline'],
    [{ config: 'db', path: 'user' }, 'ana'],
    [{ config: 'db', path: 'e' }, ''],
    [{ config: 'db', path: 'n' }, '12345678901234567890'],
    [{ config: 'db', path: 'a.b' }, '[1,{"c":"deep"}]'],
    [{ config: 'db', path: 'a.b.1.c' }, 'deep'],
    [{ config: 'db', path: '__proto__' }, 'own'],
    [{ config: 'list' }, '[1.50,true,null]'],
    [{ config: 'list', path: '0' }, '1.50'],
    [{ config: 'list', path: '2' }, 'null'],
  ])('of %j is %j', (reference, value) => {
    expect(resolve(reference)).toMatchObject({ values: { X: value } });
  });

  it.each([
    [
      { config: 'nosuch' },
      'X needs the config "nosuch", which is not shared with this actor. Share it: actorctl configs share nosuch A1',
    ],
    [{ config: 'db', path: 'user.name' }, 'X needs "user.name" of the config "db", which has no such member'],
    [{ config: 'db', path: 'toString' }, 'has no such member'],
    [{ config: 'list', path: '3' }, 'has no such member'],
    [{ config: 'list', path: 'length' }, 'has no such member'],
    [{ config: 'api.key', path: '0' }, 'has no such member'],
  ])('of %j is missing', (reference, fault) => {
    expect(resolve(reference)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('is secret if its config is', () => {
    const configEnvironment = { A: { config: 'api.key' }, B: { config: 'db', path: 'user' }, C: { config: 'list' } };
    expect(resolveVariables({ id: 'A1', configEnvironment }, received)).toMatchObject({ secretNames: ['A', 'C'] });
    expect(resolveVariables({ id: 'A1' }, received)).toEqual({ values: {}, secretNames: [] });
  });
});

describe('the name of a variable from a config', () => {
  const fault = (name: string, actor: object = {}) =>
    configEnvironmentFault(
      { [name]: { config: 'x' } },
      { image: 'alpine', privileged: false, environment: { A: '1' }, ...actor },
    );

  it('is not that of the platform, and not that of a text', () => {
    expect(fault('MSG')).toBe('must not set MSG: the platform sets it');
    expect(fault('A')).toBe('must not set A: default_environment sets it too. Leave one of them out');
    expect(fault('toString')).toBeUndefined();
  });

  it.each(['NODE_OPTIONS', 'PATH', 'LD_PRELOAD', 'https_proxy'])(
    '%s is refused where the code controls the machine, because users of the config would choose the code',
    (name) => {
      expect(fault(name)).toBeUndefined();
      expect(fault(name, { privileged: true })).toContain(`must not set ${name}: it decides which code`);
      expect(fault(name, { image: 'file:///srv/a' })).toContain(`must not set ${name}: it decides which code`);
      expect(fault('API_KEY', { image: 'file:///srv/a' })).toBeUndefined();
    },
  );
});
