// What a tenant reads does not move when another tenant acts, so that nobody can count or date what others do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { openTail } from '../../support/crash/event-tail.ts';
import {
  type ActorService,
  type Name,
  passwordOf,
  startActorService,
  tokenOf,
} from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService({ stillClock: true });
  // The activity has a row for each minute, so no minute may end during a test.
  service.advance(60_000 - (service.dependencies.clock.now() % 60_000));
});
afterAll(() => service.close());

/** All requests that create events, deliveries, executions, users and other records of one tenant. */
const act = async (as: Name, admin: Name): Promise<Readonly<Record<string, string>>> => {
  const send = async (who: Name, method: string, path: string, json?: unknown) => {
    const answer = await service.ask(who, method, path, json === undefined ? {} : { json });
    expect([method, path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([method, path, 200, '']);
    return answer.result;
  };
  const mark = `x${service.dependencies.ids.id()}`;
  const webhook = `${service.baseUrl}/nobody`;
  const actorId = await service.actor(as, { webhook, stateless: false, token: true });
  await send(as, 'POST', '/actors/v2/aliases', { alias: mark, actorId });
  await send(as, 'POST', '/actors/v2/configs', { name: mark, value: 1, actors: actorId, is_secret: false });
  const nonce = await send(as, 'POST', `/actors/v2/${actorId}/nonces`, { maxUses: 1, level: 'READ' });
  const aliasNonce = await send(as, 'POST', `/actors/v2/aliases/${mark}/nonces`, { maxUses: 1, level: 'READ' });
  await send(as, 'POST', `/actors/v2/${actorId}/state`, { mark });
  const executionId = await service.message(as, actorId);
  await service.scheduler.start(executionId, service.dependencies.clock.now());
  await service.scheduler.end(executionId, { finishedAt: service.dependencies.clock.now() });
  await service.message(as, actorId);
  const emitted = await send(as, 'POST', `/actors/v2/${actorId}/events`, { event_type: 'NOTICE' });
  const tested = await send(as, 'POST', `/actors/v2/${actorId}/webhook/test`);
  await send(as, 'POST', '/clients/v2', { clientName: mark });
  await send(admin, 'POST', '/users/v2', { username: mark, password: passwordOf(as) });
  return {
    actorId,
    executionId,
    alias: mark,
    configName: mark,
    clientName: mark,
    username: mark,
    nonceId: String(nonce['id']),
    aliasNonceId: String(aliasNonce['id']),
    eventNumber: String(emitted['id']),
    deliveryId: String(tested['id']),
    version: '1',
    tenantId: 'DEV',
  };
};

/** Paths of single words with more than one meaning of `:nonceId`, `:type` and queries. */
const pathsOf = (made: Readonly<Record<string, string>>): readonly string[] => {
  const plain = Object.values(serviceOperations)
    .filter(({ method, answer }) => method === 'GET' && answer !== 'page')
    .flatMap(({ path }) =>
      path.includes(':type')
        ? ['actors', 'executions', 'workers', 'logs'].map((type) => path.replace(':type', type))
        : [path],
    )
    // Taking a result changes what is read next, and other programs change the folders of the machine.
    .filter((path) => !/\/results$|^\/authorize|\/admin\/folders$/.test(path))
    .map((path) =>
      path
        .replace(':nonceId', (path.includes('/aliases/') ? made['aliasNonceId'] : made['nonceId']) ?? '')
        .replace(/:(\w+)/g, (_, name: string) => made[name] ?? 'unknown'),
    );
  const past = '2000-01-01T00:00:00Z';
  const future = '2999-01-01T00:00:00Z';
  const queries = [
    'after=0',
    'order=desc',
    'limit=1',
    `since=${past}`,
    `until=${past}`,
    `since=${future}`,
    `until=${future}`,
  ]
    .concat(['after=999999999', 'before=999999999', `actorId=${made['actorId']}`])
    .map((query) => `/actors/v2/events?${query}`);
  return [...plain, ...queries, '/actors/v2/deliveries?after=0', '/actors/v2?details=true', '/profiles/v2/me?naked'];
};

/** The clock of the machine goes on by itself. */
const MACHINE_TIME = /"machineTime":"[^"]+"/;

/** Bytes and headers of every response, without its time, its random id and the length of the connection. */
const readAll = async (paths: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const answers: Record<string, unknown> = {};
  for (const as of ['ana', 'admin'] as const) {
    for (const path of paths) {
      const { status, text, headers } = await service.ask(as, 'GET', path);
      const { date: _, 'x-request-id': __, ...others } = headers;
      const id = String(headers['x-request-id']);
      answers[`${as} ${path}`] = {
        status,
        text: text.replaceAll(id, '(request)').replace(MACHINE_TIME, ''),
        headers: others,
      };
    }
  }
  return answers;
};

describe('two tenants', () => {
  it('each read the same bytes before and after changes in the other', async () => {
    const made = await act('ana', 'admin');
    const paths = pathsOf(made);
    const before = await readAll(paths);
    expect(Object.keys(before).length).toBeGreaterThan(80);
    // What the other tenant does from here on has other times.
    service.advance(1_000);
    for (let round = 0; round < 3; round += 1) await act('otherAna', 'otherAdmin');
    expect(await readAll(paths)).toEqual(before);
  });

  it('each number their events, deliveries and users from 1, without gaps', async () => {
    const made = await act('otherAna', 'otherAdmin');
    const events = await service.ask('otherAna', 'GET', '/actors/v2/events?limit=1000');
    const ids = (events.result['events'] as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => String(index + 1)));
    expect(events.result).toMatchObject({ next: `0.${ids.length}`, oldest: '1', more: false });
    const listed = await service.ask('otherAna', 'GET', '/actors/v2/deliveries?after=0');
    expect(listed.result['next']).toBe(String((listed.result['deliveries'] as unknown[]).length));
    const profile = await service.ask('otherAna', 'GET', `/profiles/v2/${made['username']}`);
    const users = [...service.store.all('users')].filter(({ tenant, uid }) => tenant === 'OTHER' && uid > 0);
    expect(Number(profile.result['uid'])).toBeLessThanOrEqual(users.length);
  });

  it('do not affect the event stream of the other', async () => {
    const tail = await openTail({ baseUrl: service.baseUrl, token: tokenOf('ana') });
    await act('otherAna', 'otherAdmin');
    const { result } = await service.ask('ana', 'POST', `/actors/v2/${await service.actor('ana')}/events`, {
      json: { event_type: 'MARK' },
    });
    while (tail.events().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(tail.seen.map(({ event, id }) => [event, id])).toEqual([
      ['open', `0.${Number(result['id']) - 1}`],
      ['MARK', `0.${result['id']}`],
    ]);
    tail.close();
  });

  it('cannot show, resend or resume from the event of the other', async () => {
    const theirs = await act('otherAna', 'otherAdmin');
    const { result } = await service.ask('otherAna', 'GET', '/actors/v2/events?order=desc&limit=1');
    expect(result['next']).toMatch(/^0\.(?:[2-9]|[1-9]\d+)$/);
    const own = await service.ask('ana', 'GET', `/actors/v2/events/${theirs['eventNumber']}`);
    expect(own.text).not.toContain(theirs['actorId']);
    expect((await service.ask('ana', 'POST', `/actors/v2/deliveries/${theirs['deliveryId']}/redeliver`)).status).toBe(
      404,
    );
  });
});
