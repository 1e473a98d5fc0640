// Requests that arrive after the port is bound and before the records are recovered.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminToken, type Platform, startPlatform, statusOf } from '../../support/service/platform.ts';

let platform: Platform;
let starting = false;
let headers: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform({ starting: () => starting });
  headers = await adminToken(platform);
  starting = true;
});
afterAll(() => platform.close());

describe('while the daemon starts', () => {
  it('/healthz is 503 and says so', async () => {
    const { status, json, headers: got } = await platform.ask('GET', '/healthz');
    expect(status).toBe(503);
    expect(json).toEqual({ status: 'starting', version: expect.any(String), instance: 'test' });
    expect([got['retry-after'], got['x-failure-code']]).toEqual(['1', 'STARTING']);
  });

  it.each([
    ['GET', '/actors/v2'],
    ['GET', '/profiles/v2/me'],
    ['GET', '/nope'],
    ['DELETE', '/actors/v2'],
    ['GET', '/actors/%'],
  ])('%s %s is 503 with Retry-After in the envelope', async (method, path) => {
    const answer = await platform.ask(method, path, { headers });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.json).toEqual({
      message: 'The daemon is starting. Send the request again in a second.',
      result: null,
      status: 'error',
      version: '1.9.1',
    });
  });

  it('a message is refused, not stored', async () => {
    const before = [...platform.store.all('messages')].length;
    const answer = await platform.ask('POST', '/actors/v2/a/messages', { headers, form: { message: 'x' } });
    expect(answer.status).toBe(503);
    expect([...platform.store.all('messages')]).toHaveLength(before);
  });

  it('the token endpoint is temporarily unavailable, and the login page says what to do', async () => {
    const token = await platform.token({ grant_type: 'client_credentials' });
    expect([token.status, token.json]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
    const page = await platform.ask('GET', '/authorize');
    expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(page.text).toContain('The daemon is starting. Send the request again in a second.');
  });

  it('another host name is still 421', async () => {
    const text = await platform.raw('GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    expect(statusOf(text)).toBe(421);
  });

  it('requests are refused, and all are served after the start', async () => {
    starting = false;
    expect((await platform.ask('GET', '/healthz')).json).toMatchObject({ status: 'ok' });
    expect((await platform.ask('GET', '/actors/v2', { headers })).status).toBe(200);
  });
});
