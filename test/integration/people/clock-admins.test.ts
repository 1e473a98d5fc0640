// Who may see and move the virtual clock of an instance over HTTP, and what a move of a client that leaves becomes.
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { serveManagement } from '../../../daemon/management/server.ts';
import {
  type ActorService,
  failed,
  type Name,
  startActorService,
  tokenOf,
} from '../../support/service/actor-service.ts';
import { until } from '../../support/store/store-fixtures.ts';

const FROM = Date.parse('2030-01-01T00:00:00Z');

let service: ActorService | undefined;
afterEach(() => service?.close());

const start = async (deleteExpired: () => Promise<unknown> = async () => undefined): Promise<ActorService> => {
  service = await startActorService({ virtualClock: { from: FROM, deleteExpired } });
  return service;
};

const schedule = ({ actor }: ActorService, as: Name, cronSchedule: string) =>
  actor(as, { name: 'scheduled', cronSchedule, cronOn: true });

it('everybody who is logged in sees the time, and only admins of the first tenant see what comes', async () => {
  const { ask, ...rest } = await start();
  const actorId = await schedule({ ask, ...rest }, 'ana', '@hourly');
  const clock = { time: '2030-01-01T00:00:00.000Z', running: false, advancing: false };
  for (const name of ['ana', 'otherAna', 'otherAdmin', 'priv'] as const) {
    const { result } = await ask(name, 'GET', '/clock');
    expect(result).toEqual({ machineTime: expect.stringMatching(/Z$/), clock });
  }
  expect((await ask('admin', 'GET', '/clock')).result).toEqual({
    machineTime: expect.stringMatching(/Z$/),
    clock: { ...clock, madeTime: '2030-01-01T00:00:00.000Z' },
    next: [1, 2, 3].map((hour) => ({ time: `2030-01-01T0${hour}:00:00.000Z`, actorId, actor: 'scheduled' })),
    executions: { running: 0, queued: 0 },
  });
  expect(await ask(undefined, 'GET', '/clock')).toMatchObject({ status: 401, ...failed('AUTH_REQUIRED') });
});

it.each([
  ['/clock/pause', undefined],
  ['/clock/resume', undefined],
  ['/clock/move', { by: '1h' }],
])('POST %s is for admins of the first tenant alone', async (path, json) => {
  const { ask } = await start();
  const send = (as: Name | undefined) => ask(as, 'POST', path, json === undefined ? {} : { json });
  for (const name of ['ana', 'priv', 'otherAna'] as const) {
    expect(await send(name)).toMatchObject({ status: 403, ...failed('FORBIDDEN', /needs the role admin/) });
  }
  expect(await send('otherAdmin')).toMatchObject({
    status: 403,
    ...failed('FORBIDDEN', /Only admins of the first tenant can change the clock/),
  });
  expect(await send(undefined)).toMatchObject({ status: 401 });
  expect((await ask('ana', 'GET', '/clock')).result['clock']).toMatchObject({ time: '2030-01-01T00:00:00.000Z' });
  expect((await send('admin')).status).toBe(200);
});

it('the owner of the data needs no token at the management socket, and a token there counts as anywhere', async () => {
  const { folder, services } = await start();
  const socketPath = join(folder, 'run', 'i.sock');
  const app = services.app(() => new Set(), false);
  const management = await serveManagement(socketPath, app.ownerListener({} as never));
  const statusOf = (headers: Readonly<Record<string, string>>, path = '/api/clock/pause') =>
    new Promise<number | undefined>((resolve, reject) => {
      const asking = request({ socketPath, method: 'POST', path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.on('error', reject);
      asking.end();
    });
  try {
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ authorization: `Bearer ${tokenOf('ana')}` })).toBe(403);
    expect(await statusOf({ authorization: 'Bearer unknown' })).toBe(401);
    expect(await statusOf({}, '/api/clients/v2')).toBe(401);
  } finally {
    await management.close();
    await app.close();
  }
});

it('a move needs a limit of runs that is high enough, and sends them all', async () => {
  const running = await start();
  await schedule(running, 'ana', '@hourly');
  const move = (json: Readonly<Record<string, unknown>>) => running.ask('admin', 'POST', '/clock/move', { json });
  const few = await move({ by: '1d', most: 23 });
  expect(few.json).toMatchObject({
    message: 'Nothing was changed: more than 23 scheduled runs fall due until 2030-01-02T00:00:00Z (24).',
    result: { moved: false, due: 24, from: '2030-01-01T00:00:00.000Z', to: '2030-01-02T00:00:00.000Z' },
  });
  expect((await move({ to: '2030-01-02T01:00:00+01:00', most: 24 })).result).toEqual({
    moved: true,
    due: 24,
    from: '2030-01-01T00:00:00.000Z',
    to: '2030-01-02T00:00:00.000Z',
    executions: { running: 0, queued: 24 },
  });
});

it.each([
  [{}, /either "to", a time, or "by"/],
  [{ to: '2030-02-01', by: '1h' }, /either "to", a time, or "by"/],
  [{ to: 'soon' }, /must be a time from 1970-01-01 to 9999-12-31/],
  [{ to: '2030-02-30' }, /must be a time/],
  [{ by: '0s' }, /must be a duration above zero/],
  [{ by: 3_600_000 }, /must be a duration above zero/],
  [{ by: '1h', most: -1 }, /must be a whole number/],
  [{ to: '2029-01-01' }, /The clock cannot go back/],
  [{ by: '9000y' }, /The clock ends at 9999-12-31/],
])('the move %j is refused', async (json, message) => {
  const { ask } = await start();
  expect(await ask('admin', 'POST', '/clock/move', { json })).toMatchObject({
    status: 400,
    ...failed('VALIDATION', message),
  });
});

it('an instance with the clock of the machine refuses a move, and says how to get a virtual clock', async () => {
  service = await startActorService();
  expect(await service.ask('admin', 'POST', '/clock/move', { json: { by: '1h' } })).toMatchObject({
    status: 409,
    ...failed('OTHER_CLOCK', /actorctl up --virtual-clock --instance OTHER/),
  });
  expect((await service.ask('ana', 'GET', '/clock')).result).toEqual({ machineTime: expect.stringMatching(/Z$/) });
});

it('a client that disconnects stops its move, and the clock names where the move was to end', async () => {
  let runs = 0;
  const running = await start();
  const { ask, baseUrl, store } = running;
  await schedule(running, 'ana', '* * * * *');
  const leaving = request(`${baseUrl}/clock/move`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' },
  });
  leaving.on('error', () => undefined);
  store.watch('meta', () => {
    runs += 1;
    if (runs === 2) leaving.destroy();
  });
  leaving.end(JSON.stringify({ by: '1y', most: 1_000_000 }));
  const clock = async () => (await ask('admin', 'GET', '/clock')).result['clock'] as Record<string, unknown>;
  await until(async () => runs >= 2 && (await clock())['advancing'] === false);
  expect(await clock()).toMatchObject({ running: false, target: '2031-01-01T00:00:00.000Z' });
  expect(String((await clock())['time']) < '2031').toBe(true);
});

it('a move that takes longer is a stream if the client accepts one, even if its token expires on the way', async () => {
  let end = (): void => undefined;
  const running = await start(() => new Promise<void>((resolve) => (end = resolve)));
  await schedule(running, 'ana', '@hourly');
  const move = (json: Readonly<Record<string, unknown>>) =>
    running.ask('admin', 'POST', '/clock/move', { json, headers: { accept: 'text/event-stream' } });
  expect((await move({ by: '1h', most: 0 })).result).toMatchObject({ moved: false, due: 1 });
  expect(await move({ to: '2029-01-01' })).toMatchObject({ status: 400, ...failed('VALIDATION') });
  const response = await fetch(`${running.baseUrl}/clock/move`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('admin')}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ by: '3h' }),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  end();
  const text = await response.text();
  expect(text).toMatch(/^event: progress\ndata: \{"time":"2030-01-01T03:00:00.000Z",.*"fired":3,"due":3\}\n/);
  expect(text).toMatch(/event: done\ndata: \{"moved":true,.*"due":3,.*\}\n\n$/);
});

it('a move in progress shows how many runs were sent, and how many will be', async () => {
  let end = (): void => undefined;
  const running = await start(() => new Promise<void>((resolve) => (end = resolve)));
  await schedule(running, 'ana', '@hourly');
  const move = running.ask('admin', 'POST', '/clock/move', { json: { by: '3h' } });
  const clock = async (as: Name) => (await running.ask(as, 'GET', '/clock')).result['clock'];
  await expect
    .poll(() => clock('admin'))
    .toMatchObject({ advancing: true, target: '2030-01-01T03:00:00.000Z', fired: 3, due: 3 });
  expect(await clock('otherAdmin')).toEqual({ time: '2030-01-01T03:00:00.000Z', running: false, advancing: true });
  end();
  expect((await move).result).toMatchObject({ moved: true, due: 3 });
  expect(await clock('admin')).not.toHaveProperty('due');
});
