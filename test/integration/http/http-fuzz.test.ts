// Property test: any request gets a response below 500 in one of the known shapes.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { examples } from '../../support/runner/examples.ts';
import type { Answer } from '../../support/service/call.ts';
import { adminToken, makeClient, type Platform, startPlatform, statusOf } from '../../support/service/platform.ts';
import { anyText } from '../../support/values/any-text.ts';

let platform: Platform;
let bearer: string;
let clientHeader: string;
beforeAll(async () => {
  platform = await startPlatform();
  bearer = (await adminToken(platform)).authorization;
  clientHeader = (await makeClient(platform)).header.authorization;
});
afterAll(() => platform.close());

const RUNS = examples(200);

const has = (value: unknown, ...names: string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));

const isPage = ({ headers, text }: Answer): boolean =>
  headers['content-type'] === 'text/html; charset=utf-8' && text.startsWith('<!doctype html>');

/** An envelope with its four members and no other; one of a refused token has a fault as well. */
const isEnvelope = ({ json }: Answer, status: 'success' | 'error'): boolean =>
  has(json, 'message', 'result', 'status', 'version') &&
  Object.keys(json as object).length === (has(json, 'fault') ? 5 : 4) &&
  Reflect.get(json as object, 'status') === status &&
  (status === 'success' || Reflect.get(json as object, 'result') === null);

/** Below 500, with the id of its request, and shaped like a response of the daemon to such a request. */
const isOurs = (verb: string, answer: Answer): boolean => {
  const { status, headers, json, text } = answer;
  if (status < 200 || status >= 500 || !headers['x-request-id']) return false;
  if (text === '') return verb === 'HEAD' || verb === 'OPTIONS' || status === 303;
  if (isPage(answer)) return true;
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return false;
  if (status >= 400) {
    const named = typeof headers['x-failure-code'] === 'string';
    return named && (isEnvelope(answer, 'error') || typeof Reflect.get(Object(json), 'error') === 'string');
  }
  return (
    isEnvelope(answer, 'success') || ['issuer', 'access_token', 'instance', 'openapi'].some((name) => has(json, name))
  );
};

const nasty = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '%00',
  '%2e%2e',
  '%',
  '%ff',
  '\u2028',
  '[]',
  "'",
  '"',
  '{',
  '..',
  ' ',
);
const word = fc.oneof(anyText({ maxLength: 20 }), nasty);
const paths = Object.values(serviceOperations).map(({ path }) => path);
const segment = word.map((text) => encodeURIComponent(Buffer.from(text).toString()));
const rawSegment = fc.oneof(segment, fc.constantFrom('%', '%zz', '%00', '%ff', '..', '.', '', ';', '@', ':', '*', '~'));
const path = fc.oneof(
  fc.tuple(fc.constantFrom(...paths), rawSegment).map(([known, name]) => known.replace(/:\w+/g, () => name)),
  fc.array(rawSegment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(rawSegment, rawSegment), { maxLength: 4 })
    .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`),
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE');
const type = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'multipart/form-data',
  'text/plain',
  'nonsense',
  '',
);
const fieldName = fc.oneof(
  fc.constantFrom(
    'clientName',
    'client_name',
    'callbackUrl',
    'grants',
    'username',
    'password',
    'roles',
    'tenant',
    'grant_type',
    'scope',
    'image',
    'refresh_token',
    'code',
    'redirect_uri',
    'token',
    'client_id',
    'csrf',
    'transaction',
    'decision',
  ),
  word,
);
const body = fc.oneof(
  fc.json(),
  fc.dictionary(fieldName, fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.array(fc.tuple(fieldName, word)).map((pairs) => new URLSearchParams(pairs).toString()),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .tuple(fieldName, word)
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`),
);

it('the fuzz test does not mistake a response of another server for one of the daemon', () => {
  const json = { message: 'No.', result: null, status: 'error', version: '1.9.1' };
  const type = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' };
  const headers = { ...type, 'x-failure-code': 'NOT_FOUND' };
  const ours = { status: 404, headers, json, text: JSON.stringify(json), bytes: Buffer.alloc(0), result: {} };
  expect(isOurs('GET', ours)).toBe(true);
  for (const change of [
    { status: 500 },
    { status: 200 },
    { headers: type },
    { headers: { ...headers, 'x-request-id': '' } },
    { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } },
    { text: '' },
    { json: { ...json, stack: 'at createApp' } },
    { json: { ...json, status: 'success' } },
    { json: { error: { stack: 'at createApp' } } },
    { json: undefined },
  ]) {
    expect([change, isOurs('GET', { ...ours, ...change })]).toEqual([change, false]);
  }
});

describe('R115 R23 the daemon never fails', () => {
  it('on any path, query, method, type, body and credential', async () => {
    const authorization = fc.oneof(
      fc.constantFrom('bearer', 'client', 'none'),
      fc.stringMatching(/^[\x20-\x7e]{1,40}$/),
      fc.base64String().map((text) => `Basic ${text}`),
    );
    await fc.assert(
      fc.asyncProperty(
        method,
        path,
        query,
        type,
        body,
        authorization,
        async (verb, where, asked, kind, content, given) => {
          const value = given === 'bearer' ? bearer : given === 'client' ? clientHeader : given === 'none' ? '' : given;
          const headers = { 'content-type': kind, ...(value !== '' && { authorization: value.trim() }) };
          const bodiless = verb === 'GET' || verb === 'HEAD' || verb === 'OPTIONS' || verb === 'TRACE';
          const answer = await platform.ask(verb, where + asked, { headers, ...(!bodiless && { body: content }) });
          return isOurs(verb, answer);
        },
      ),
      { numRuns: RUNS },
    );
    expect(platform.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('on forms to the token endpoint', async () => {
    const headers = { authorization: clientHeader, 'content-type': 'application/x-www-form-urlencoded' };
    await fc.assert(
      fc.asyncProperty(body, async (content) => {
        const answer = await platform.ask('POST', '/token', { headers, body: content });
        return answer.status < 500 && (has(answer.json, 'error') || has(answer.json, 'access_token'));
      }),
      { numRuns: RUNS },
    );
  });

  it.each(['/revoke', '/introspect'])('on forms to %s', async (at) => {
    const headers = { authorization: clientHeader, 'content-type': 'application/x-www-form-urlencoded' };
    await fc.assert(
      fc.asyncProperty(body, async (content) => {
        const answer = await platform.ask('POST', at, { headers, body: content });
        return answer.status === 200 ? !has(answer.json, 'username') : answer.status < 500 && has(answer.json, 'error');
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it('on queries of an authorization request, which get a page or a redirect to the client', async () => {
    const name = fc.oneof(
      fc.constantFrom('response_type', 'scope', 'state', 'show_dialog', 'code_challenge', 'code_challenge_method'),
      word,
    );
    const value = fc.oneof(fc.constantFrom('code', 'token', 'PRODUCTION', 'S256', 'true', ''), word);
    const client = await makeClient(platform, { callbackUrl: 'https://app.example/cb' });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), query, async (pairs, more) => {
        const target: [string, string][] = [
          ['client_id', client.id],
          ['redirect_uri', 'https://app.example/cb'],
        ];
        const asked = new URLSearchParams([...target, ...pairs]).toString();
        const answer = await platform.ask('GET', `/authorize?${asked}&${more.slice(1)}`);
        return answer.status === 303
          ? answer.headers.location?.startsWith('https://app.example/cb?error=') === true
          : isOurs('GET', answer);
      }),
      { numRuns: RUNS },
    );
    expect(platform.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('on bytes that are not HTTP', async () => {
    const lines = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 30 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('GET / HTTP/1.1', 'POST /token HTTP/1.1', 'X'), lines, async (first, rest) => {
        const end = `Host: 127.0.0.1:${platform.port}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n\r\n`;
        const text = await platform.raw(`${first}\r\n${rest.map((line) => `X-A: ${line}\r\n`).join('')}${end}`);
        return statusOf(text) >= 200 && statusOf(text) < 500;
      }),
      { numRuns: RUNS / 2 },
    );
  });
});
