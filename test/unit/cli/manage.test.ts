// Calls of the owner's operations over a management socket: results, progress, and what goes wrong.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createPlain } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { manageAt, textOf } from '../../support/daemon/management-call.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

/** The calls to a server that answers in this way. */
const answering = async (listener: RequestListener, signal?: AbortSignal) => {
  const socket = path.join(temporaryFolder(), 's.sock');
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return manageAt(socket, signal);
};

/** Responds to a short operation. */
const short =
  (body: unknown, status = 200, headers = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'x-request-id': 'r1', ...headers }).end(JSON.stringify(body));
  };

/** Responds to a long operation with these lines. */
const long =
  (...lines: readonly unknown[]): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(200).end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };

it('a short management operation is sent as JSON to its route, and returns the result', async () => {
  let sent: unknown;
  const manage = await answering(async (request, response) => {
    sent = [request.method, request.url, JSON.parse(await textOf(request)), request.headers.connection];
    response.end(JSON.stringify({ status: 'success', message: '', version: '', result: { stopping: true, pid: 7 } }));
  });
  expect(await manage('daemon.stop', { graceMs: 1 })).toEqual({ stopping: true, pid: 7 });
  expect(sent).toEqual(['POST', '/manage/daemon/stop', { graceMs: 1 }, 'close']);
});

it('a long management operation is sent as a line and bytes, and reports progress before the result', async () => {
  const seen: string[] = [];
  const manage = await answering(async (request, response) => {
    seen.push(await textOf(request));
    response.write('{"text":"one"}\n{"te');
    setImmediate(() => response.end('xt":"two"}\n{"done":{"image":{}}}'));
  });
  const bytes = [Buffer.from('a'), Buffer.from('b')];
  const done = await manage('images.show', { image: 'x' }, { bytes, onText: (text) => seen.push(text) });
  expect([...seen, done]).toEqual(['{"image":"x"}\nab', 'one', 'two', { image: {} }]);
});

it('a response that arrives before the whole request was sent is read', async () => {
  const manage = await answering(long({ error: { code: 'BUILD_FAILED', message: 'no such base' } }));
  const bytes = (function* () {
    for (let count = 0; count < 64; count += 1) yield Buffer.alloc(65_536);
  })();
  await expect(manage('images.show', { image: 'x' }, { bytes })).rejects.toMatchObject({
    code: 'BUILD_FAILED',
    message: 'no such base',
  });
});

const refusal = short({ status: 'error', message: 'there is no user "jörg"', result: null }, 404, {
  'x-failure-code': 'NOT_FOUND',
});
it.each([
  ['a refusal', refusal, { code: 'NOT_FOUND', message: 'there is no user "jörg"' }],
  ['a daemon without request ids', short({}, 404, { 'x-request-id': [] }), { code: 'DAEMON_VERSION' }],
  ['another JSON value', short({ pid: 7 }), { code: 'DAEMON_VERSION', extras: { hint: 'actorctl daemon restart' } }],
  ['no JSON', ((_request, response) => void response.end('?')) satisfies RequestListener, { code: 'DAEMON_VERSION' }],
])('a management error explains %s', async (_what, listener, failure) => {
  const manage = await answering(listener as RequestListener);
  await expect(manage('daemon.status')).rejects.toMatchObject(failure);
});

it.each([
  ['an unknown line', long('?', { text: 'x' }), { code: 'DAEMON_UNHEALTHY' }],
  ['a failure of another version', long({ error: { code: 'NEW', message: 'new' } }), { code: 'INTERNAL' }],
  [
    'a response that breaks off',
    ((_request, response) => {
      response.write('{"text":"x"}\n', () => response.destroy());
    }) satisfies RequestListener,
    { code: 'DAEMON_UNHEALTHY', extras: { hint: 'actorctl daemon logs -n 50' } },
  ],
])('a management error explains %s of a long operation', async (_what, listener, failure) => {
  const manage = await answering(listener as RequestListener);
  await expect(manage('images.show', { image: 'x' })).rejects.toMatchObject(failure);
});

it('an interrupted command ends a long operation, but not a short one', async () => {
  const command = new AbortController();
  const manage = await answering((request, response) => {
    request.resume();
    command.abort();
    if (request.method === 'GET') response.end('{"result":{"pid":7}}');
  }, command.signal);
  await expect(manage('images.show', { image: 'x' })).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await manage('daemon.status')).toEqual({ pid: 7 });
});

it('a management error explains that nothing listens, or that another program does', async () => {
  const socket = path.join(temporaryFolder(), 's.sock');
  const manage = manageAt(socket);
  const absent = { code: 'DAEMON_NOT_RUNNING', extras: { hint: 'actorctl up' } };
  await expect(manage('daemon.status')).rejects.toMatchObject(absent);
  await expect(manage('images.show', { image: 'x' })).rejects.toMatchObject(absent);
  const other = createPlain((connection) => void connection.end('SSH-2.0\r\n'));
  await new Promise<void>((resolve) => other.listen(socket, resolve));
  onTestFinished(() => void other.close());
  await expect(manage('daemon.status')).rejects.toMatchObject({ code: 'DAEMON_UNHEALTHY' });
});
