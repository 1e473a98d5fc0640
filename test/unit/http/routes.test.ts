// The routes of the contract, the responses for other paths, and the public handlers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { healthHandlers } from '../../../daemon/http/health.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { as, type BareApp, type BareSettings, startBareApp } from '../../support/service/bare-app.ts';
import { refusal } from '../../support/service/bare-request.ts';

const ana = as('ana');
const failurePage: BareSettings['failurePage'] = ({ message }, status) => ({
  html: `<p>${status} ${message}`,
  headers: {},
});

let server: BareApp;
let isStarting = false;
beforeEach(async () => {
  server = await startBareApp({ failurePage, starting: () => isStarting });
});
afterEach(() => server.close());

describe('a route', () => {
  it('leads to each operation of the contract', async () => {
    const routes = Object.values(serviceOperations).map(({ method, path }) => ({
      method,
      path,
      route: `${method} ${path}`,
    }));
    for (const { method, path } of routes) await server.ask(method, path.replaceAll(/:\w+/g, 'x'), as('root'));
    const logged = () => server.log.map(({ fields }) => fields['route']);
    await expect.poll(() => logged()).toEqual(routes.map(({ route }) => route));
  });

  it('with other methods says which it has', async () => {
    const allow = async (method: string, path: string, headers = ana) => {
      const answer = await server.ask(method, path, headers);
      return [answer.status, answer.headers['allow']];
    };
    expect(await allow('PUT', '/healthz')).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await allow('GET', '/token')).toEqual([405, 'POST, OPTIONS']);
    expect(await allow('DELETE', '/clients/v2')).toEqual([405, 'POST, GET, HEAD, OPTIONS']);
    expect(await allow('PATCH', '/actors/v2/x')).toEqual([405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
    expect(await allow('OPTIONS', '/actors/v2/x', [])).toEqual([200, 'GET, PUT, DELETE, HEAD, OPTIONS']);
    const answer = await server.ask('PATCH', '/actors/v2/x?y', ana);
    expect(answer.headers['x-failure-code']).toBe('METHOD_NOT_ALLOWED');
    expect(answer.json()).toMatchObject({
      message: 'This address does not accept PATCH. It accepts GET, PUT, DELETE, HEAD, OPTIONS.',
      status: 'error',
    });
  });

  it('handles CORS preflights for its path', async () => {
    const asked = ['Origin: http://app.test', 'Access-Control-Request-Method: POST'];
    const { headers } = await server.ask('OPTIONS', '/actors/v2?x', asked);
    expect(headers['access-control-allow-methods']).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT');
  });

  it('refuses other methods in the format of its responses', async () => {
    const said = 'This address does not accept DELETE. It accepts GET, HEAD, OPTIONS.';
    expect((await server.ask('DELETE', '/healthz')).json()).toMatchObject({ error: 'invalid_request' });
    expect((await server.ask('DELETE', '/authorize')).text).toBe(`<p>405 ${said}`);
    // An envelope where operations write their own responses.
    const results = await server.ask('PATCH', '/actors/v2/x/executions/y/results', ana);
    expect(results.json()).toMatchObject({ status: 'error', result: null });
    const plain = await startBareApp();
    expect((await plain.ask('DELETE', '/authorize')).json()).toMatchObject({ message: said });
    await plain.close();
  });
});

describe('an address without a route', () => {
  it('is not found, and asks for credentials first below the actor service', async () => {
    for (const [path, status] of [
      ['/nope', 404],
      ['/actorsx', 404],
      ['/actors', 401],
      ['/actors?x', 401],
      ['/actors/nope', 401],
      ['/x/actors/', 404],
    ] as const) {
      expect([path, (await server.ask('GET', path)).status]).toEqual([path, status]);
    }
    const answer = await server.ask('GET', '/actors/nope', ana);
    expect(answer.json()).toMatchObject({ message: 'There is nothing at this address. Check the path.' });
    expect(server.checked.at(-1)).toBe('ana');
  });

  it('with a broken escape is refused', async () => {
    expect((await server.ask('GET', '/actors/v2/%zz')).status).toBe(401);
    const answer = await server.ask('GET', '/clients/v2/%zz');
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([400, 'VALIDATION']);
    expect(answer.json()).toMatchObject({ message: 'The path contains a broken percent-escape.' });
  });

  it('asks for a token everywhere on the listener for containers', async () => {
    const inner = await startBareApp({ onlyExecutionTokens: true });
    expect((await inner.ask('GET', '/nope')).status).toBe(401);
    expect((await inner.ask('GET', '/nope', ana)).status).toBe(404);
    expect((await inner.ask('DELETE', '/healthz')).status).toBe(401);
    expect((await inner.ask('GET', '/healthz')).status).toBe(401);
    await inner.close();
  });
});

describe('a fault outside of the handlers', () => {
  it('returns an internal error', async () => {
    const inner = await startBareApp({ ids: { id: () => 'r1', secret: () => '' }, failurePage });
    inner.app.server.prependOnceListener('request', (request) => {
      Object.defineProperty(request, 'query', {
        get: () => {
          throw new TypeError('a fault');
        },
      });
    });
    const answer = await inner.ask('GET', '/healthz?x');
    expect([answer.status, answer.json()]).toMatchObject([500, { message: 'internal error (request r1)' }]);
    expect(inner.log.find(({ level }) => level === 'error')?.fields['error']).toBeInstanceOf(TypeError);
    await inner.close();
  });
});

describe('while the daemon starts', () => {
  it('every request except health is refused', async () => {
    isStarting = true;
    try {
      for (const [method, path] of [
        ['GET', '/tenants'],
        ['GET', '/nope'],
        ['DELETE', '/healthz'],
      ] as const) {
        const answer = await server.ask(method, path);
        expect([answer.status, answer.headers['retry-after'], answer.headers['x-failure-code']]).toEqual([
          503,
          '1',
          'STARTING',
        ]);
        expect(answer.text).toContain('The daemon is starting. Send the request again in a second.');
      }
      expect((await server.ask('GET', '/healthz')).status).toBe(200);
    } finally {
      isStarting = false;
    }
  });
});

describe('while the daemon stops', () => {
  it('every request is refused, including OPTIONS and health', async () => {
    const inner = await startBareApp({ starting: () => true });
    await inner.app.drain();
    for (const [method, path] of [
      ['OPTIONS', '/tenants'],
      ['GET', '/healthz'],
      ['GET', '/nope'],
    ] as const) {
      const answer = await inner.ask(method, path);
      expect([answer.status, answer.headers['retry-after'], answer.headers['x-failure-code']]).toEqual([
        503,
        '1',
        'SHUTTING_DOWN',
      ]);
      expect(answer.text).toContain(
        'The daemon is stopping and accepts no new requests. Start it again with `actorctl up`.',
      );
    }
    await inner.close();
  });
});

describe('the health of the daemon', () => {
  let isRecovering = false;
  let base = 'http://127.0.0.1:1';
  const handlers = healthHandlers({
    version: '1.2.3',
    instance: 'i',
    baseUrl: () => base,
    starting: () => isRecovering,
  });

  it('is "starting" until the records are recovered', () => {
    isRecovering = true;
    expect(refusal(() => handlers['health.show']({} as never))).toEqual({
      code: 'STARTING',
      message: 'The daemon is starting.',
      detail: { retryAfter: 1, body: { status: 'starting', version: '1.2.3', instance: 'i' } },
    });
    isRecovering = false;
    expect(handlers['health.show']({} as never)).toEqual({
      result: { status: 'ok', version: '1.2.3', instance: 'i' },
      message: 'The daemon is up.',
    });
  });

  it('includes an OpenAPI document with its address, which is built once', () => {
    const show = () =>
      handlers['openapi.show']({} as never) as never as { result: { servers: unknown; paths: object } };
    const first = show();
    base = 'http://127.0.0.1:2';
    expect(first.result.servers).toEqual([expect.objectContaining({ url: 'http://127.0.0.1:1' })]);
    expect(show().result.paths).toBe(first.result.paths);
    expect(first).toMatchObject({ message: 'The OpenAPI document.' });
  });
});
