// The checks of a request before routing, and its line in the log.
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loopbackHosts, pathOf } from '../../../daemon/http/request-gate.ts';
import { as, type BareApp, parseAnswer, startBareApp } from '../../support/service/bare-app.ts';

let server: BareApp;
let ours: string;
/** Number of requests that wait for their client to disconnect. */
let waits: number;
beforeEach(async () => {
  waits = 0;
  server = await startBareApp({
    failurePage: ({ message }, status) => ({ html: `<p>${status} ${message}`, headers: { 'X-Page': 'yes' } }),
    handlers: {
      'actors.list': ({ signal }) =>
        new Promise((_, reject) => {
          waits += 1;
          signal().addEventListener('abort', () => reject(signal().reason));
        }),
    },
  });
  ours = `127.0.0.1:${server.port}`;
});
afterEach(() => server.close());

const sent = async (...lines: string[]) =>
  parseAnswer(await server.raw([...lines, 'Connection: close', '', ''].join('\r\n')));
const target = (url: string) => sent(`GET ${url} HTTP/1.1`, `Host: ${ours}`);

describe('host names', () => {
  it('of the loopback interface have a port, except for port 80', () => {
    expect([...loopbackHosts(8722)]).toEqual(['127.0.0.1:8722', 'localhost:8722', '[::1]:8722']);
    expect([...loopbackHosts(80)]).toEqual([
      '127.0.0.1',
      '127.0.0.1:80',
      'localhost',
      'localhost:80',
      '[::1]',
      '[::1]:80',
    ]);
  });

  it('are compared without case, and must be sent once', async () => {
    const get = 'GET /healthz HTTP/1.1';
    expect((await sent(get, `hOST: LOCALHOST:${server.port}`)).status).toBe(200);
    expect((await sent(get, `Host: ${ours}`, `Host: ${ours}`)).status).toBe(421);
    expect((await sent(get, 'Host: evil.example')).status).toBe(421);
    expect((await sent('GET /healthz HTTP/1.0')).status).toBe(421);
    // Headers with the same length or with that value are no Host headers.
    expect((await sent(get, `Host: ${ours}`, 'Date: host', 'X-Host: host', 'Via: host')).status).toBe(200);
  });

  it('are refused with a message, as an HTML page for browsers', async () => {
    const { baseUrl, port } = server;
    const said = `This service is not available under that host name. Use ${baseUrl}. A tunnel (ssh -L) needs port ${port} at both ends.`;
    for (const path of ['/authorize', '/authorize?x=1', '/authorize/login']) {
      const answer = await sent(`GET ${path} HTTP/1.1`, 'Host: evil');
      expect([answer.status, answer.text, answer.headers['x-page']]).toEqual([421, `<p>421 ${said}`, 'yes']);
    }
    for (const path of ['/authorizes', '/actors/v2', '/x/authorize/']) {
      const answer = await sent(`GET ${path} HTTP/1.1`, 'Host: evil');
      expect(answer.json()).toMatchObject({ message: said });
      expect(answer.headers['x-failure-code']).toBe('MISDIRECTED');
    }
  });
});

describe('a refusal at an endpoint of RFC 6749', () => {
  const paths = ['/token', '/token?x=1', '/token/', '//revoke', '/introspect'];
  const body = { error: 'invalid_request', error_description: expect.any(String) };

  it.each(paths)('R35 of a foreign host has no envelope: %s', async (path) => {
    const answer = await sent(`POST ${path} HTTP/1.1`, 'Host: evil');
    expect([answer.status, answer.json()]).toEqual([421, body]);
    expect(answer.headers).toMatchObject({ pragma: 'no-cache', 'x-failure-code': 'MISDIRECTED' });
  });

  it.each(paths)('R35 R81 of two Authorization headers has no envelope, and asks for Basic: %s', async (path) => {
    const answer = await sent(`POST ${path} HTTP/1.1`, `Host: ${ours}`, ...as('ana'), ...as('ana'));
    expect([answer.status, answer.json()]).toEqual([400, body]);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="actorctl", charset="UTF-8"');
  });

  it('R80 of another path has the envelope', async () => {
    for (const path of ['/tokens', '/token/x', '/clients/v2/token']) {
      const answer = await sent(`GET ${path} HTTP/1.1`, 'Host: evil');
      expect(answer.json()).toMatchObject({ result: null, status: 'error' });
    }
  });
});

describe('a request target', () => {
  it('may be absolute if it names this service', async () => {
    expect((await target(`http://${ours}/healthz`)).status).toBe(200);
    expect((await target(`HTTP://LOCALHOST:${server.port}/healthz?x`)).status).toBe(200);
    expect((await target(`http://${ours}?x=1`)).status).toBe(404);
    expect((await target(`http://${ours}`)).status).toBe(404);
    for (const url of ['http://evil/healthz', `https://${ours}/healthz`, `xhttp://${ours}/healthz`]) {
      expect([url, (await target(url)).status]).toEqual([url, 421]);
    }
  });

  it('may be an asterisk, which no operation has', async () => {
    expect((await sent('OPTIONS * HTTP/1.1', `Host: ${ours}`)).status).toBe(404);
  });

  it('has repeated slashes merged, but not in its query', async () => {
    const asked: unknown[] = [];
    const inner = await startBareApp({
      handlers: {
        'tenants.show': ({ request, params }) => {
          asked.push([request.url, params.tenantId]);
          return { result: {}, message: '' } as never;
        },
      },
    });
    for (const path of [
      '/tenants/DEV',
      '//tenants/DEV',
      '//tenants///DEV//',
      '//tenants/DEV?a=//b?c',
      '/tenants/DEV?a=//b',
    ]) {
      expect((await inner.ask('GET', path, as('root'))).status).toBe(200);
    }
    await inner.close();
    expect(asked).toEqual([
      ['/tenants/DEV', 'DEV'],
      ['/tenants/DEV', 'DEV'],
      ['/tenants/DEV/', 'DEV'],
      ['/tenants/DEV?a=//b?c', 'DEV'],
      ['/tenants/DEV?a=//b', 'DEV'],
    ]);
  });

  it('has a path before its query', () => {
    expect(['/a/b', '/a?b?c', '?a'].map(pathOf)).toEqual(['/a/b', '/a', '']);
  });
});

describe('an Authorization header', () => {
  it('must be sent once', async () => {
    const get = ['GET /profiles/v2/me HTTP/1.1', `Host: ${ours}`];
    expect((await sent(...get, ...as('ana'))).status).toBe(200);
    expect((await sent(...get, ...as('ana'), 'X-Authorization: authorization')).status).toBe(200);
    const twice = await sent(...get, ...as('ana'), 'aUTHORIZATION: Bearer ben', 'Origin: http://app.test');
    expect([twice.status, twice.headers['x-failure-code']]).toEqual([400, 'VALIDATION']);
    expect(twice.json()).toMatchObject({ message: 'There is more than one Authorization header. Send one.' });
    expect(twice.headers['www-authenticate']).toContain('error="invalid_request"');
    expect(twice.headers['access-control-allow-origin']).toBe('http://app.test');
    const page = await sent('GET /authorize HTTP/1.1', `Host: ${ours}`, ...as('ana'), ...as('ana'));
    expect([page.status, page.headers['x-page']]).toEqual([400, 'yes']);
  });
});

describe('the log line of a request', () => {
  const lines = () => server.log.filter(({ message }) => message === 'request').map(({ fields }) => fields);

  it('has its id, method, route, status, time and caller', async () => {
    const now = vi.spyOn(performance, 'now');
    const answer = await server.ask('GET', '/healthz');
    await expect.poll(() => lines()).toHaveLength(1);
    now.mockReturnValueOnce(1_000).mockReturnValueOnce(1_012.345_6);
    const mine = await server.ask('GET', '/profiles/v2/me?x=1', as('ana'));
    await expect.poll(() => lines().at(-1)).toMatchObject({ requestId: mine.headers['x-request-id'] });
    now.mockRestore();
    expect(lines().at(-1)).toEqual({
      requestId: mine.headers['x-request-id'],
      method: 'GET',
      route: 'GET /profiles/v2/me',
      status: 200,
      ms: 12.3,
      tenant: 'DEV',
      caller: 'ana',
    });
    const before = lines().at(-2);
    expect(before).toMatchObject({ requestId: answer.headers['x-request-id'], route: 'GET /healthz' });
    expect(Object.keys(before ?? {})).toEqual(['requestId', 'method', 'route', 'status', 'ms']);
    expect(answer.headers['x-request-id']).toMatch(/^request\d+$/);
  });

  it('says that the client disconnected before the response, and names no route for an unknown path', async () => {
    await server.ask('GET', '/nope');
    await expect.poll(() => lines().at(-1)).toMatchObject({ route: '(none)', status: 404 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET /actors/v2 HTTP/1.1\r\nHost: ${ours}\r\n${as('ana')[0]}\r\n\r\n`);
    await expect.poll(() => waits).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => lines().at(-1)).toMatchObject({ route: 'GET /actors/v2', aborted: true });
  });
});
