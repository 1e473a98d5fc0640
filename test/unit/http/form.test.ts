// Forms, query strings, JSON and If-Match: what is read from their bytes, and which are refused.
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { decodeFormPart, parseForm, parseMultipart, parseQuery } from '../../../daemon/http/request/form.ts';
import { expectedVersion } from '../../../daemon/http/request/if-match.ts';
import { decodeUtf8, parseJson } from '../../../daemon/http/request/json.ts';
import { JSON_DEPTH } from '../../../src/contract/json-scanner.ts';

const bytes = (text: string) => Buffer.from(text);
const refusal = (code: string, message: string) => expect.objectContaining({ code, message });

describe('a form', () => {
  it.each<[string, object]>([
    ['', {}],
    ['a=b', { a: 'b' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=b', { '': 'b' }],
    ['a=b=c', { a: 'b=c' }],
    ['&a=1&&b=2&', { a: '1', b: '2' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a+b=c+d', { 'a b': 'c d' }],
    ['a%2Bb=%26%3D', { 'a+b': '&=' }],
    ['a%5Bb%5D=1&a[c]=2', { 'a[b]': '1', 'a[c]': '2' }],
    ['%C3%BC=%F0%9F%98%80', { ü: '😀' }],
    ['constructor=1&toString=2', { constructor: '1', toString: '2' }],
  ])('%j has the fields %j', (text, fields) => {
    expect({ ...parseForm(bytes(text), 9) }).toEqual(fields);
    expect({ ...parseQuery(text, 9) }).toEqual(fields);
  });

  it('R112 has no prototype', () => {
    expect(Object.entries(parseForm(bytes('__proto__=1'), 9))).toEqual([['__proto__', '1']]);
    expect(Object.getPrototypeOf(parseForm(bytes(''), 9))).toBeNull();
  });

  it.each(['%', 'a=%', 'a=%zz', '%ff=1', 'a=%C3'])('%j with a broken escape is refused', (text) => {
    const why = 'a percent-escape in it is broken or not UTF-8';
    expect(decodeFormPart(text)).toBeUndefined();
    expect(() => parseForm(bytes(text), 9)).toThrow(refusal('MALFORMED_BODY', `The form body is malformed: ${why}.`));
    expect(() => parseQuery(text, 9)).toThrow(refusal('VALIDATION', `The query is malformed: ${why}.`));
  });

  it('has a limited number of fields', () => {
    expect(Object.keys(parseForm(bytes('a&b'), 2))).toEqual(['a', 'b']);
    expect(() => parseForm(bytes('a&b&c'), 2)).toThrow(
      refusal('PAYLOAD_TOO_LARGE', 'The form has more than 2 fields. Send fewer.'),
    );
    expect(() => parseQuery('a&b&c', 2)).toThrow(
      refusal('VALIDATION', 'The query has more than 2 parameters. Send fewer.'),
    );
  });
});

describe('a multipart form', () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const part = (name: string, value: string, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

  it('has the values of its parts', async () => {
    const fields = await parseMultipart(bytes(`${part('a', '1')}${part('a', '2')}${part('b', '')}--b--`), headers, 9);
    expect({ ...fields }).toEqual({ a: ['1', '2'], b: '' });
    expect(Object.getPrototypeOf(fields)).toBeNull();
  });

  it('has a limited number of fields', async () => {
    const body = (count: number) => bytes(`${part('a', '1').repeat(count)}--b--`);
    expect(await parseMultipart(body(2), headers, 2)).toHaveProperty('a');
    await expect(parseMultipart(body(3), headers, 2)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The form has more than 2 fields. Send fewer.',
    });
  });

  it.each([
    ['a file', `${part('up', 'x', '; filename="f"')}--b--`, headers, 'the part "up" is a file; send it as a field'],
    ['an unfinished body', part('a', '1'), headers, 'Unexpected end of form'],
    ['no boundary', '', { 'content-type': 'multipart/form-data' }, 'Multipart: Boundary not found'],
  ])('with %s is refused', async (_, text, given, why) => {
    await expect(parseMultipart(bytes(text), given, 9)).rejects.toMatchObject({
      code: 'MALFORMED_BODY',
      message: `The form body is malformed: ${why}.`,
    });
  });
});

describe('UTF-8 text', () => {
  it('loses a byte order mark unless it is read exactly', () => {
    const marked = Buffer.from([0xef, 0xbb, 0xbf, 0x61]);
    expect(decodeUtf8(marked)).toBe('a');
    expect(decodeUtf8(marked, { exact: true })).toBe('\ufeffa');
  });

  it('is refused if it is not UTF-8', () => {
    for (const exact of [true, false]) {
      expect(() => decodeUtf8(Buffer.from([0xff]), { exact })).toThrow(
        refusal('MALFORMED_BODY', 'The body is not UTF-8 text. Send it as UTF-8.'),
      );
    }
  });
});

describe('a JSON body', () => {
  it.each(['null', '5', '"x"', '[1,{"a":[]}]', '{"__proto__":1}'])('may be %s', (text) => {
    expect(JSON.stringify(parseJson(bytes(text)))).toBe(text);
  });

  it('may be nested 64 levels deep', () => {
    const nested = (depth: number) => bytes(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(parseJson(nested(JSON_DEPTH))).toEqual([expect.any(Array)]);
    expect(() => parseJson(nested(JSON_DEPTH + 1))).toThrow(
      refusal('MALFORMED_BODY', 'The JSON body is nested deeper than 64 levels. Flatten it.'),
    );
  });

  it.each([
    ['{"password":"hunter2"', /Expected ',' or '}'/],
    ['{"a":hunter2}', /Unexpected token 'h'\. Check/],
    ['{"a":😀}', /Unexpected token '[^']{1,2}'\. Check|it is not JSON\. Check/],
    ['', /Unexpected end of JSON input/],
  ])('R116 %j is refused with the place or the character, never with its text', (text, why) => {
    expect(() => parseJson(bytes(text))).toThrow(
      expect.objectContaining({
        code: 'MALFORMED_BODY',
        message: expect.stringMatching(
          /^The body is malformed JSON: .+\. Check it with a JSON tool and send it again\.$/s,
        ),
      }),
    );
    expect(() => parseJson(bytes(text))).toThrow(why);
    expect(() => parseJson(bytes(text))).not.toThrow('hunter2');
  });
});

describe('If-Match', () => {
  const read = (header: string | undefined) =>
    expectedVersion({ headers: { 'if-match': header } } as unknown as IncomingMessage);

  it.each([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['3', 3],
    ['"12"', 12],
    [' "0" ', 0],
    ['9'.repeat(15), 999_999_999_999_999],
  ])('%j expects the version %s', (header, version) => {
    expect(read(header)).toBe(version);
  });

  it.each(['', 'x', '-1', '"1","2"', 'W/"1"', 'v1', '1.5', '9'.repeat(16)])('%j is refused', (header) => {
    expect(() => read(header)).toThrow(refusal('VALIDATION', 'If-Match must be one version, such as "3".'));
  });
});
