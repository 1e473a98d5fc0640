// The rules that turn a request into a message and its variables.
import { describe, expect, it } from 'vitest';
import {
  isSynchronous,
  type MessageBody,
  messageOf,
  queryMessageOf,
  readingOf,
  variablesOf,
} from '../../../daemon/domain/executions/message.ts';
import { Failure } from '../../../daemon/domain/failure.ts';

const failureOf = (act: () => unknown): Failure => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const json = (text: string): MessageBody => ({ kind: 'json', text, value: JSON.parse(text) });

describe('a content type', () => {
  for (const [type, reading] of [
    ['application/x-www-form-urlencoded', 'form'],
    ['application/x-www-form-urlencoded; charset=UTF-8', 'form'],
    ['multipart/form-data; boundary=x', 'multipart'],
    ['application/json', 'json'],
    ['Application/JSON; charset="utf-8"', 'json'],
    ['application/ld+json', 'json'],
    [undefined, 'json'],
    ['text/plain', 'text'],
    ['text/csv; charset=us-ascii', 'text'],
    ['application/octet-stream', 'binary'],
    ['application/octet-stream; charset=latin1', 'binary'],
    [' text/plain ;charset=utf8', 'text'],
    ['text/plain; format=flowed', 'text'],
    ['text/plain; xcharset=latin1', 'text'],
    ['text/plain; charset=latin1 x', 'text'],
  ] as const) {
    it(`${type} is read as ${reading}`, () => expect(readingOf(type)).toBe(reading));
  }
  it.each([
    ['image/png', 'cannot have the content type "image/png"'],
    ['application/xml', 'cannot have the content type "application/xml"'],
    ['nonsense', 'cannot have the content type "nonsense"'],
    ['/', 'cannot have the content type "/"'],
    ['text/plain; charset=iso-8859-1', 'must be in UTF-8, not in iso-8859-1'],
    ['text/plain;charset=latin1', 'must be in UTF-8, not in latin1'],
    ['text/plain; charset =latin1', 'must be in UTF-8, not in latin1'],
    ['text/plain; charset= "latin1" ; x=y', 'must be in UTF-8, not in latin1'],
  ])('%s is refused: %s', (type, words) => {
    expect(failureOf(() => readingOf(type))).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: expect.stringContaining(words),
    });
  });
});

describe('a message', () => {
  const str = (content: string, echo: 'text' | 'json' = 'text') => ({ contentType: 'str', content, echo });
  const asJson = (content: string) => ({ contentType: 'application/json', content, echo: 'json' });
  const inner = '{ "id": 12345678901234567890, "big": [1e400, 1.50],\n "id": -0 }';
  const table: readonly (readonly [string, MessageBody, string | undefined, unknown])[] = [
    ['a form', { kind: 'form', message: 'hi' }, undefined, str('hi')],
    ['the query', { kind: 'none' }, 'hi', str('hi')],
    ['the query beside a form without it', { kind: 'form', message: undefined }, 'hi', str('hi')],
    ['text', { kind: 'text', text: ' as it\nstands ' }, undefined, str(' as it\nstands ')],
    ['text that is empty on purpose', { kind: 'text', text: '' }, undefined, str('')],
    ['the query beside an empty text', { kind: 'text', text: '' }, 'hi', str('hi')],
    ['a JSON object', json('{ "b": 1, "a": [true, null] }'), undefined, asJson('{ "b": 1, "a": [true, null] }')],
    ['a JSON object with a message', json('{"message":"hi","x":1}'), undefined, str('hi')],
    ['a JSON object with an object as message', json('{"message":{"a":1}}'), undefined, str('{"a":1}', 'json')],
    ['a JSON object with a list as message', json('{"message":[1,2]}'), undefined, str('[1,2]', 'json')],
    ['any JSON as message, as sent', json(`{"x":1, "message" : ${inner} }`), undefined, str(inner, 'json')],
    ['a number as message that no double holds', json('{"message":1e400}'), undefined, str('1e400', 'json')],
    ['the last of two messages', json('{"message":{"a":1},"message":[ 2 ]}'), undefined, str('[ 2 ]', 'json')],
    ['a JSON object with an empty message', json('{"message":"","x":1}'), undefined, asJson('{"message":"","x":1}')],
    ['a JSON object with a null message', json('{"message":null}'), undefined, asJson('{"message":null}')],
    ['a JSON object with an empty object', json('{"message":{}}'), undefined, asJson('{"message":{}}')],
    ['a JSON object with an empty list', json('{"message":[]}'), undefined, asJson('{"message":[]}')],
    ['an empty JSON object', json('{}'), undefined, asJson('{}')],
    ['a JSON list', json('[1,"message"]'), undefined, asJson('[1,"message"]')],
    ['a JSON string', json('"hi"'), undefined, asJson('"hi"')],
    ['a JSON number', json('0'), undefined, asJson('0')],
    ['JSON false', json('false'), undefined, asJson('false')],
    ['JSON null', json('null'), undefined, asJson('null')],
    ['a number too exact for JavaScript', json('12345678901234567890'), undefined, asJson('12345678901234567890')],
    ['text with NUL', { kind: 'text', text: 'a\0b' }, undefined, str('a\0b')],
    ['a lone surrogate', json('{"message":"\\ud800"}'), undefined, str('\ud800')],
  ];
  for (const [name, body, inQuery, message] of table) {
    it(`may be ${name}`, () => expect(messageOf(body, inQuery)).toEqual(message));
  }

  const legacy: readonly (readonly [string, string, unknown])[] = [
    ['an object as Python writes it', '{"message":{"a":[true,null,1.50]}}', str("{'a': [True, None, 1.5]}")],
    ['all digits of its number', '{"message":12345678901234567890123}', str('12345678901234567890123')],
    ['text as it stands', '{"message":"it\'s","x":1}', str("it's")],
    ['the last of two messages', '{"message":{"a":1},"message":{"a":2}}', str("{'a': 2}")],
  ];
  it.each(legacy)('to a legacy actor has %s', (_name, text, message) => {
    expect(messageOf(json(text), undefined, 'legacy')).toEqual(message);
  });

  it('to a legacy actor without a message of its own stays JSON', () => {
    expect(messageOf(json('{"a": true}'), undefined, 'legacy')).toEqual(asJson('{"a": true}'));
  });

  it('of bytes is shown as omitted', () => {
    const bytes = new Uint8Array([0, 255]);
    expect(messageOf({ kind: 'binary', bytes }, undefined)).toEqual({
      contentType: 'application/octet-stream',
      content: bytes,
      echo: 'none',
    });
  });

  it('R112 keeps a member named __proto__ as data', () => {
    expect(messageOf(json('{"__proto__":{"polluted":1}}'), undefined)).toEqual(asJson('{"__proto__":{"polluted":1}}'));
    expect({}).not.toHaveProperty('polluted');
  });

  const refused: readonly (readonly [string, MessageBody, string | undefined])[] = [
    ['nothing at all', { kind: 'none' }, undefined],
    ['an empty query', { kind: 'none' }, ''],
    ['an empty form field', { kind: 'form', message: '' }, undefined],
    ['a form without message', { kind: 'form', message: undefined }, undefined],
    ['no bytes', { kind: 'binary', bytes: new Uint8Array() }, undefined],
    ['two messages', { kind: 'text', text: 'a' }, 'b'],
  ];
  for (const [name, body, inQuery] of refused) {
    it(`cannot be ${name}`, () => {
      const failure = failureOf(() => messageOf(body, inQuery));
      expect(failure.code).toBe('VALIDATION');
      expect(failure.message).toMatch(/^message is (missing or empty|both in the body and in the query)\. /);
      expect(failure.detail).toEqual({ field: 'message' });
    });
  }
});

describe('query parameters', () => {
  it('become variables, and the first of a repeated parameter counts', () => {
    expect(variablesOf({ A: '1', b_2: ['x', 'y'], environment: ['A', 'b_2'], EMPTY: '' })).toEqual({
      A: '1',
      b_2: 'x',
      environment: 'A',
      EMPTY: '',
    });
  });

  it('that control the request, and the nonce, become no variables', () => {
    expect(
      variablesOf({
        message: 'm',
        pretty: 'true',
        naked: '1',
        _svc_synchronous: 'true',
        _abaco_synchronous: '0',
        'x-nonce': 'n',
      }),
    ).toEqual({});
  });

  it('R137 cannot set variables of the platform, and the refusal names them', () => {
    const reserved = ['_svc_access_token', '_abaco_username', 'MSG', 'MSG_FILE', '_actor_configs'];
    const invalid = ['1A', 'a-b', 'a b', '', 'ä', 'a[b]'];
    for (const name of [...reserved, ...invalid]) {
      const why = reserved.includes(name)
        ? 'only the platform sets it'
        : 'a name consists of letters, digits and underscores and does not begin with a digit';
      expect(failureOf(() => variablesOf({ [name]: 'x' }))).toMatchObject({
        code: 'VALIDATION',
        message: `Query parameter ${JSON.stringify(name)} cannot become a variable: ${why}.`,
        detail: { field: name },
      });
    }
    expect(failureOf(() => variablesOf({ A: 'x\0y' })).message).toContain('NUL');
  });

  it.each(['PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH'])('R137 cannot set %s', (name) => {
    expect(failureOf(() => variablesOf({ [name]: 'x' }))).toMatchObject({
      code: 'VALIDATION',
      message: `Query parameter "${name}" cannot become a variable: only the owner sets it, in default_environment.`,
      detail: { field: name },
    });
  });

  it('R125 named __proto__ are ordinary variables', () => {
    const query = Object.assign(Object.create(null), JSON.parse('{"constructor":"c"}'));
    Object.defineProperty(query, '__proto__', { value: 'p', enumerable: true });
    expect(Object.entries(variablesOf(query)).toSorted()).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
  });

  it('decide whether the request waits for the result', () => {
    for (const value of ['true', 'True', '1']) expect(isSynchronous({ _abaco_synchronous: value })).toBe(true);
    for (const value of ['false', 'False', '0', '']) expect(isSynchronous({ _svc_synchronous: value })).toBe(false);
    expect(isSynchronous({})).toBe(false);
    expect(failureOf(() => isSynchronous({ _svc_synchronous: 'maybe' })).message).toContain('_svc_synchronous');
  });

  it('may contain the message', () => {
    expect(queryMessageOf({ message: ['a', 'b'] })).toBe('a');
    expect(queryMessageOf({})).toBeUndefined();
  });
});
