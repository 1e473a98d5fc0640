// How the `api` command turns its arguments and flags into a request.
import { describe, expect, it } from 'vitest';
import { makeRequest, readTarget, readWords } from '../../../src/commands/tools/api-request.ts';
import { CliFailure } from '../../../src/failure.ts';

const reads = (content: string | Uint8Array) => ({ read: async () => Buffer.from(content) });

describe('the api command', () => {
  it.each([
    ['actors', '/actors/v2', {}],
    ['/actors/v2/', '/actors/v2/', {}],
    ['actors/wc/messages', '/actors/v2/wc/messages', {}],
    ['profiles/v2/me?naked=true&a=1&a=2', '/profiles/v2/me', { naked: ['true'], a: ['1', '2'] }],
    ['token', '/token', {}],
    ['actors/a b', '/actors/v2/a%20b', {}],
    ['actors/a%20b', '/actors/v2/a%20b', {}],
    ['actors/a%2Fb%40c%3ad%25', '/actors/v2/a%2Fb%40c%3ad%25', {}],
    ['actors/50%2541 ü', '/actors/v2/50%2541%20%C3%BC', {}],
  ])('%s is read as the path %s', (typed, path, query) => expect(readTarget(typed)).toEqual({ path, query }));
  it.each(['C:/Program Files/Git/actors', 'http://127.0.0.1:8722/actors', 'actors/%zz'])('%s is refused', (typed) => {
    expect(() => readTarget(typed)).toThrow(CliFailure);
  });
  it('accepts the method before the path or as a flag, and refuses both together', () => {
    expect(readWords(['post', 'actors'], undefined)).toEqual({ method: 'POST', target: 'actors' });
    expect(readWords(['actors'], 'PUT')).toEqual({ method: 'PUT', target: 'actors' });
    expect(() => readWords(['POST', 'actors'], 'PUT')).toThrow('twice');
    expect(() => readWords(['actors', 'x'], undefined)).toThrow('not a method');
    expect(() => readWords(['GET', 'a', 'b'], undefined)).toThrow('a method and a path');
  });

  const flags = { method: undefined, fields: [], typedFields: [], input: undefined, form: false, headers: [] };
  const made = async (given: Partial<Parameters<typeof makeRequest>[2]>, file = '') => {
    const { body, ...rest } = await makeRequest(reads(file), ['actors'], { ...flags, ...given });
    return { ...rest, ...(body && { body: Buffer.from(body).toString() }) };
  };
  it('without fields sends a GET', async () => {
    expect(await made({})).toEqual({ method: 'GET', path: '/actors/v2', query: {}, headers: {} });
  });
  it('with fields sends a POST of JSON with typed and nested values', async () => {
    const { method, headers, body } = await made(
      {
        fields: ['n=1', 'env[LOG]=x'],
        typedFields: ['t=1', 'on=true', 'no=null', 's=abc', 'hints[]=a', 'hints[]=b', 'f=@x'],
      },
      'content',
    );
    expect({ method, headers }).toEqual({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(body ?? '')).toEqual({
      n: '1',
      env: { LOG: 'x' },
      t: 1,
      on: true,
      no: null,
      s: 'abc',
      hints: ['a', 'b'],
      f: 'content',
    });
  });
  it.each([
    ['0042', '"0042"'],
    ['1.0', '1.0'],
    ['12345678901234567890', '12345678901234567890'],
    ['-9.90', '-9.90'],
    ['1e400', '1e400'],
    ['-0', '-0'],
    ['+1', '"+1"'],
    ['.5', '".5"'],
    ['NaN', '"NaN"'],
    ['7', '7'],
  ])('sends the typed field %s as %s', async (typed, sent) => {
    const { body } = await made({ typedFields: [`v=${typed}`, `in[v]=${typed}`] });
    expect(body).toBe(`{"v":${sent},"in":{"v":${sent}}}`);
    expect(await made({ method: 'GET', typedFields: [`v=${typed}`] })).toMatchObject({ query: { v: [typed] } });
  });
  it('puts fields into the query of a GET, and into a form body with --form', async () => {
    expect(await made({ method: 'GET', fields: ['a=1'], typedFields: ['b=true'] })).toMatchObject({
      query: { a: ['1'], b: ['true'] },
    });
    expect(await made({ form: true, fields: ['a=x y', 'b[]=1', 'b[]=2'] })).toMatchObject({
      body: 'a=x+y&b=1&b=2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });
  it('sends input unchanged, and labels JSON input as JSON', async () => {
    expect(await made({ input: 'x' }, '{ }')).toMatchObject({
      method: 'POST',
      body: '{ }',
      headers: { 'content-type': 'application/json' },
    });
    expect(await made({ input: 'x', headers: ['Content-Type: text/plain'] }, 'hi')).toMatchObject({
      headers: { 'content-type': 'text/plain' },
    });
  });
  it('keeps a field named __proto__ as a plain field', async () => {
    const { body } = await made({ fields: ['__proto__[x]=1'] });
    expect(body).toBe('{"__proto__":{"x":"1"}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
  it.each<Partial<Parameters<typeof makeRequest>[2]>>([
    { fields: ['novalue'] },
    { fields: ['[x]=1'] },
    { input: 'x', fields: ['a=1'] },
    { headers: ['novalue'] },
    { headers: ['Host: evil'] },
  ])('%j is a usage error', async (given) => {
    await expect(made(given)).rejects.toMatchObject({ code: 'USAGE' });
  });
});
