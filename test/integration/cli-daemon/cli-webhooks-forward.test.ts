// `webhooks listen --forward-to`: what reaches the target, and which targets are refused.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
import { until } from '../../support/daemon/daemon.ts';
import { call } from '../../support/service/call.ts';
import { madeIdentity } from '../../support/service/legacy-listener.ts';

let home: SharedHome;
let receiver: Receiver;

beforeAll(async () => {
  home = await sharedHome();
  const folder = join(home.folder, 'actor');
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', 'true'] }));
  await home.json('actors', 'create', `file://${folder}`, '--name', 'clean', '--wait');
});
afterAll(() => home.remove());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

/** A listener in the background that ends after one request. */
const listen = async (...args: string[]) => {
  const running = home.start(['webhooks', 'listen', ...args, '--max', '1', '--json', '--verbose']);
  await until(() => running.err().includes(args.includes('--actor') ? 'until this command ends' : 'listening on'), 5);
  return {
    closed: running.ended.then(({ code }) => code),
    url: /listening on (\S+) /.exec(running.err())?.[1] ?? '',
    err: running.err,
    seen: () => JSON.parse(running.out()) as Record<string, unknown>,
  };
};

describe('webhooks listen --forward-to', () => {
  it('forwards a delivery, and returns the response of the target', async () => {
    receiver.answer = (response) => {
      response.writeHead(202, { 'content-type': 'text/plain' });
      response.end('taken');
    };
    const listening = await listen('--actor', 'clean', '--forward-to', `${receiver.url}?a=1`);
    const { id, deliveries } = await home.json<{ id: string; deliveries: { webhook: string } }>(
      ...['events', 'emit', 'TICK', '--actor', 'clean', '--data', '{}'],
    );
    expect(await listening.closed).toBe(0);
    expect(listening.seen()).toMatchObject({ response: { status: 202 } });
    expect(receiver.received).toMatchObject([
      {
        path: '/hook?a=1',
        headers: { 'content-type': 'application/json', 'x-event-number': id, 'x-delivery-id': deliveries.webhook },
      },
    ]);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(listening.seen()['event']);
    expect((await home.json('webhooks', 'show', 'clean'))['webhook']).toBe('');
  });

  it.each([
    ['a host and a port', (port: number) => `localhost:${port}/hook`, undefined],
    ['credentials', (port: number) => `http://us%40er:p%3Aw@127.0.0.1:${port}/hook`, 'us@er:p:w'],
    ['credentials without a scheme', (port: number) => `user:100%@127.0.0.1:${port}/hook`, 'user:100%'],
  ])('forwards to a target that is given as %s', async (_name, target, pair) => {
    const listening = await listen('--forward-to', target(receiver.port));
    expect((await call(listening.url, 'POST', '', { json: {} })).status).toBe(200);
    expect(await listening.closed).toBe(0);
    const authorization = pair && `Basic ${Buffer.from(pair).toString('base64')}`;
    expect(receiver.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/hook', authorization],
    ]);
  });

  it('names the variable that trusts the certificate of a target', async () => {
    const { cert, key } = madeIdentity();
    const server = createServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const listening = await listen('--forward-to', `https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect((await call(listening.url, 'POST', '', { json: {} })).status).toBe(502);
    expect(await listening.closed).toBe(0);
    expect(listening.err()).toMatch(/cannot forward: .*to trust the certificate: export NODE_EXTRA_CA_CERTS=FILE/);
    server.close();
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', 'localhost'],
    ['0.0.0.0', '127.0.0.2'],
  ])('that listens at %s refuses to forward to its own port at %s', async (bind, host) => {
    const { port } = receiver;
    await receiver.close();
    const args = ['--bind', bind, '--port', String(port), '--forward-to', `http://${host}:${port}/any`];
    expect(await home.cli(['webhooks', 'listen', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is the address of this command, so each request would go in a loop'),
    });
  });

  it('returns 502 if the target cannot be reached', async () => {
    const port = receiver.port;
    await receiver.close();
    const listening = await listen('--forward-to', `http://127.0.0.1:${port}/`);
    const answer = await call(listening.url, 'POST', '', { json: {} });
    expect(answer.status).toBe(502);
    expect(await listening.closed).toBe(0);
    expect(listening.err()).toContain('cannot forward');
  });
});
