// The parts of responses: escaped HTML, the headers of pages, CORS, and unchanged JSON text.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { allowOrigin, answerOptions } from '../../../daemon/http/response/cors.ts';
import { escaped, html } from '../../../daemon/http/response/html.ts';
import { JsonText, jsonPieces } from '../../../daemon/http/response/json-text.ts';
import { headersOfPage } from '../../../daemon/http/response/page-headers.ts';

describe('R21 a text in a page', () => {
  it.each([
    [`<b a="x" b='y'>&amp;`, '&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;'],
    ['a\u0000b\nc\u007f', 'a\ufffdb\ufffdc\ufffd'],
    ['\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff', '\ufffd'.repeat(10)],
    ['\ud800x', '\ufffdx'],
    ['ü 😀', 'ü 😀'],
  ])('%j becomes %j', (text, safe) => {
    expect(escaped(text)).toBe(safe);
  });

  it('is escaped in every place of a template, and markup is not', () => {
    const item = (text: string) => html`<li>${text}</li>`;
    expect(html`<p title="${'"'}">${1}${undefined}${html`<b>${'<'}</b>`}${[item('a'), item('&')]}</p>`.markup).toBe(
      '<p title="&quot;">1<b>&lt;</b><li>a</li><li>&amp;</li></p>',
    );
    expect(html`plain`.markup).toBe('plain');
  });
});

describe('the headers of a page', () => {
  const common = {
    'Content-Type': 'text/html; charset=utf-8',
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
  };
  // printf %s 'a{}' | openssl dgst -sha256 -binary | base64
  const style = "style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='";

  it.each([
    [undefined, `default-src 'none'; ${style}; frame-ancestors 'none'; base-uri 'none'`],
    ["'self'", `default-src 'none'; ${style}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`],
  ])('R97 with the form action %s allow one style and no script', (formAction, policy) => {
    expect(headersOfPage('a{}', formAction)).toEqual({ ...common, 'Content-Security-Policy': policy });
  });
});

interface Sent {
  readonly status?: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

const respond = (act: (response: ServerResponse) => void): Sent => {
  const headers: Record<string, unknown> = {};
  let status: number | undefined;
  const response = {
    setHeader: (name: string, value: unknown) => {
      headers[name] = value;
    },
    writeHead: (code: number, more: object) => {
      status = code;
      Object.assign(headers, more);
      return { end: () => undefined };
    },
  };
  act(response as unknown as ServerResponse);
  return { headers, ...(status !== undefined && { status }) };
};
const request = (headers: Readonly<Record<string, string>>) => ({ headers }) as unknown as IncomingMessage;

describe('R107 a page of another origin', () => {
  const open = ['/actors', '/profiles', '/token', '/revoke', '/openapi.json', '/.well-known'];

  it.each(open)('may call %s and what is below it', (path) => {
    for (const each of [path, `${path}/x`]) {
      expect(respond((response) => allowOrigin(request({ origin: 'http://o' }), response, each)).headers).toEqual({
        'Access-Control-Allow-Origin': 'http://o',
        Vary: 'Origin',
      });
    }
    expect(respond((response) => allowOrigin(request({}), response, path)).headers).toEqual({
      'Access-Control-Allow-Origin': '*',
    });
  });

  it.each(['/authorize', '/login', '/', '/actorsx', '/x/actors', '/clients', '/clients/v2'])(
    'may not call %s',
    (path) => {
      const answer = respond((response) => allowOrigin(request({ origin: 'http://o' }), response, path));
      expect(answer.headers).toEqual({});
    },
  );

  it.each<[string, string, Record<string, string>, object]>([
    ['without asking', '/actors', {}, {}],
    [
      'for its methods',
      '/actors',
      { 'access-control-request-method': 'PUT' },
      { 'Access-Control-Allow-Methods': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
    ],
    [
      'for its methods and headers',
      '/token',
      { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'a, b' },
      {
        'Access-Control-Allow-Methods': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
        'Access-Control-Allow-Headers': 'a, b',
      },
    ],
    ['for a path that is closed', '/clients', { 'access-control-request-method': 'PUT' }, {}],
    ['for headers only', '/actors', { 'access-control-request-headers': 'a' }, {}],
  ])('that sends OPTIONS %s gets 200', (_, path, headers, more) => {
    expect(respond((response) => answerOptions(request(headers), response, path, 'GET'))).toEqual({
      status: 200,
      headers: { Allow: 'GET', 'Content-Length': 0, 'Cache-Control': 'no-store', ...more },
    });
  });
});

describe('JSON text in a response', () => {
  it('is inserted unchanged, as often as it occurs, even from an earlier call that failed', () => {
    const text = new JsonText('{"a":1e400}');
    const write = (value: unknown) => jsonPieces(value, false).join();
    expect(() =>
      write([
        text,
        {
          toJSON() {
            throw new Error('broken');
          },
        },
      ]),
    ).toThrow('broken');
    expect(write([text, 1, text])).toBe('[{"a":1e400},1,{"a":1e400}]');
    expect(write({ a: '"json-text:0"' })).toBe('{"a":"\\"json-text:0\\""}');
    expect(write(['0', text])).toBe('["0",{"a":1e400}]');
    expect(write(undefined)).toBe('null');
  });
});
