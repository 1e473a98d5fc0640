// Searching over HTTP on a real store: results, permissions, pages and bad input. Over 250 lines, because the cases share
// their records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, type Name, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
/** Id of an actor of ana that is not shared. */
let own: string;
/** Id of an actor of ana that bob may read. */
let shared: string;
/** Id of an actor of bob. */
let bobs: string;
const executions: string[] = [];

type Rows = readonly Readonly<Record<string, unknown>>[];

const search = async (as: Name, path: string) => {
  const { status, result, text } = await service.ask(as, 'GET', path);
  expect(text).not.toBe('');
  return {
    status,
    metadata: result['_metadata'] as Readonly<Record<string, number>>,
    rows: result['search'] as Rows,
  };
};
const idsOf = async (as: Name, path: string) => (await search(as, path)).rows.map(({ id }) => id);

const writeLog = async (executionId: string, text: string): Promise<void> => {
  const writer = service.logs.open(executionId);
  writer.write('stdout', Buffer.from(text));
  await writer.close();
};

beforeAll(async () => {
  service = await startActorService();
  own = await service.actor('ana', {
    name: 'own',
    image: 'alpine:1',
    hints: ['gpu'],
    default_environment: { LEVEL: 'x' },
  });
  shared = await service.actor('ana', { name: 'shared', image: 'busybox:1' });
  bobs = await service.actor('bob', { name: 'bobs', image: 'alpine:2' });
  await service.ask('ana', 'POST', `/actors/v2/${shared}/permissions`, { json: { user: 'bob', level: 'READ' } });
  for (const [as, actorId] of [
    ['ana', own],
    ['ana', shared],
    ['bob', bobs],
    ['ana', own],
  ] as const) {
    executions.push(await service.message(as, actorId));
  }
  const [first = '', second = '', third = ''] = executions;
  await service.store.transact((tx) => {
    const record = tx.get('executions', first);
    if (record !== undefined) {
      const times = { startedAt: record.receivedAt, finishedAt: record.receivedAt + 2_500 };
      tx.put('executions', { ...record, ...times, status: 'COMPLETE', exitCode: 3, reason: 'exited' });
    }
    tx.put('workers', {
      id: 'W123456789012',
      actorId: shared,
      tenant: 'DEV',
      status: 'READY',
      image: 'busybox:1',
      revision: 1,
      createdAt: 0,
    });
  });
  await writeLog(first, 'starting\nERROR: disk full\n');
  await writeLog(second, 'all is well\n');
  await writeLog(third, 'ERROR of bob\n');
});
afterAll(() => service.close());

describe('search.find', () => {
  it('finds the actors that the caller may read, in the order of their creation', async () => {
    expect(await idsOf('ana', '/actors/v2/search/actors')).toEqual([own, shared]);
    expect(await idsOf('bob', '/actors/v2/search/actors')).toEqual([shared, bobs]);
    expect(await idsOf('otherAna', '/actors/v2/search/actors')).toEqual([]);
  });

  it('finds nothing by the role admin alone', async () => {
    expect(await idsOf('admin', '/actors/v2/search/actors')).toEqual([]);
    expect(await idsOf('admin', '/actors/v2/search/executions')).toEqual([]);
    expect(await idsOf('admin', `/actors/v2/search/executions?id=${executions[0]}`)).toEqual([]);
    expect(await idsOf('otherAdmin', `/actors/v2/search/executions?id=${executions[0]}`)).toEqual([]);
  });

  it('keeps null fields in its rows, and omits fields that other routes omit', async () => {
    const { rows } = await search('ana', `/actors/v2/search/actors?id=${own}`);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ id: own, memLimit: null, maxCpus: null, name: 'own', state: {} });
    for (const hidden of ['permissions', 'tenant', 'dbId', 'apiServer']) expect(rows[0]).not.toHaveProperty(hidden);
    const waiting = await search('ana', `/actors/v2/search/executions?id=${executions[3]}`);
    expect(waiting.rows[0]).toMatchObject({ status: 'SUBMITTED', exitCode: null, startTime: null, finalState: null });
    expect(waiting.rows[0]).not.toHaveProperty('apiServer');
    const workers = await search('bob', '/actors/v2/search/workers');
    expect(workers.rows).toMatchObject([{ id: 'W123456789012', actorId: shared, lastExecutionTime: null }]);
    expect(workers.rows[0]).not.toHaveProperty('tenant');
  });

  it('cannot filter by fields that it does not show', async () => {
    expect(await idsOf('bob', '/actors/v2/search/actors?permissions.ana=UPDATE')).toEqual([]);
    expect(await idsOf('bob', '/actors/v2/search/actors?tenant=DEV')).toEqual([]);
  });

  it.each([
    ['image.like=%5Ealpine', () => [own]],
    ['image.nlike=%5Ealpine', () => [shared]],
    ['hints=gpu', () => [own]],
    ['default_environment.LEVEL=x', () => [own]],
    ['name.in=%5B%22own%22,%22shared%22%5D', () => [own, shared]],
    ['stateless=true', () => [own, shared]],
    ['create_time.gt=2000&create_time.lt=9999', () => [own, shared]],
    ['create_time.between=2000,2001', () => []],
    ['name=own&image=busybox:1', () => []],
    ['exactsearch=OWN', () => [own]],
    ['search=shared', () => [shared, own]],
  ])('actors?%s', async (query, expected) => {
    expect(await idsOf('ana', `/actors/v2/search/actors?${query}`)).toEqual(expected());
  });

  it('finds an execution by its id, without naming the actor', async () => {
    expect(await idsOf('ana', `/actors/v2/search/executions?id=${executions[1]}`)).toEqual([executions[1]]);
    expect(await idsOf('bob', `/actors/v2/search/executions?id=${executions[1]}`)).toEqual([executions[1]]);
    expect(await idsOf('bob', `/actors/v2/search/executions?id=${executions[0]}`)).toEqual([]);
    expect(await idsOf('bob', `/actors/v2/search/logs?executionId=${executions[0]}`)).toEqual([]);
    expect(await idsOf('bob', `/actors/v2/search/executions?actorId=${own}`)).toEqual([]);
  });

  it('finds executions by the values of their fields', async () => {
    const path = '/actors/v2/search/executions';
    expect(await idsOf('ana', `${path}?status=COMPLETE`)).toEqual([executions[0]]);
    expect(await idsOf('ana', `${path}?exit_code.gte=3&runtime.lte=2`)).toEqual([executions[0]]);
    expect(await idsOf('ana', `${path}?actor_id=${own}&status.neq=COMPLETE`)).toEqual([executions[3]]);
    expect(await idsOf('ana', `${path}?finish_time=none`)).toEqual([executions[1], executions[3]]);
  });

  it('finds executions by their message, but only for callers who may send it again', async () => {
    const path = '/actors/v2/search/executions';
    const [first = '', second = '', , fourth = ''] = executions;
    await service.store.transact((tx) => {
      for (const [id, contentType] of [
        [first, 'str'],
        [second, 'str'],
        [fourth, 'application/octet-stream'],
      ] as const) {
        const record = tx.get('executions', id);
        const message = { contentType, text: `the needle of ${id}`, variables: { KEY: 'needle' } };
        if (record !== undefined) tx.put('executions', { ...record, message });
      }
    });
    for (const query of ['exactsearch=NEEDLE', 'message.text.like=needle']) {
      expect(await idsOf('ana', `${path}?${query}`)).toEqual([first, second]);
      expect(await idsOf('bob', `${path}?${query}`)).toEqual([]);
      expect(await idsOf('ana', `/actors/v2/${own}/executions?${query}`)).toEqual([first]);
    }
    const { rows } = await search('ana', `${path}?id=${first}`);
    expect(rows[0]).toMatchObject({ message: { type: 'text', text: `the needle of ${first}` } });
    expect(rows[0]).not.toHaveProperty('variables');
    expect((await search('bob', `${path}?id=${second}`)).rows[0]).toMatchObject({ message: null });
    expect((await search('ana', `${path}?id=${fourth}`)).rows[0]).toMatchObject({ message: null });
    const nonce = await service.ask('ana', 'POST', `/actors/v2/${own}/nonces`, { json: { level: 'READ' } });
    const listed = await service.ask(
      undefined,
      'GET',
      `/actors/v2/${own}/executions?exactsearch=needle&x-nonce=${nonce.result['id']}`,
    );
    expect(listed.result).toMatchObject({ search: [] });
  });

  it('finds logs by text, of actors that the caller may read', async () => {
    const { rows, metadata } = await search('ana', '/actors/v2/search/logs?logs.like=%5EERROR:.*full$');
    expect(rows).toEqual([
      {
        executionId: executions[0],
        actorId: own,
        logs: 'starting\nERROR: disk full\n',
        _links: {
          self: `${service.baseUrl}/actors/v2/${own}/executions/${executions[0]}/logs`,
          owner: `${service.baseUrl}/profiles/v2/ana`,
          execution: `${service.baseUrl}/actors/v2/${own}/executions/${executions[0]}`,
        },
      },
    ]);
    expect(metadata['totalCount']).toBe(1);
    expect((await search('bob', '/actors/v2/search/logs?exactsearch=error')).rows).toMatchObject([
      { executionId: executions[2] },
    ]);
  });

  it('pages its results, with the total before paging', async () => {
    const path = '/actors/v2/search/executions';
    expect(await search('ana', `${path}?skip=1&limit=1`)).toMatchObject({
      metadata: { totalCount: 3, recordsSkipped: 1, recordLimit: 1, countReturned: 1 },
      rows: [{ id: executions[1] }],
    });
    expect(await search('ana', `${path}?limit=0`)).toMatchObject({ metadata: { totalCount: 3, countReturned: 0 } });
    expect(await search('ana', `${path}?skip=9`)).toMatchObject({ metadata: { totalCount: 3, countReturned: 0 } });
    expect((await search('ana', path)).metadata).toMatchObject({ recordLimit: 100, recordsSkipped: 0 });
  });

  it('accepts its type in upper or lower case, and refuses others', async () => {
    expect((await search('ana', '/actors/v2/search/ACTORS')).status).toBe(200);
    for (const type of ['events', 'constructor', '__proto__', 'actor']) {
      expect(await service.ask('ana', 'GET', `/actors/v2/search/${type}`)).toMatchObject(
        failed('VALIDATION', /actors/),
      );
    }
    expect(await service.ask(undefined, 'GET', '/actors/v2/search/actors')).toMatchObject({ status: 401 });
  });

  it.each([
    'limit=-1',
    'limit=abc',
    'limit=100000',
    'skip=-1',
    'image.like=(%3F%3Da)',
    'image.like=(a)%5C1',
    'image.like=%5B',
    `image.like=${'a'.repeat(1_001)}`,
    'image.like=(((a%7B30%7D)%7B30%7D)%7B30%7D)',
    'image.like=(a%7B100%7D)%7B9%7D',
    'status.in=x',
    'create_time.gt=never',
    'create_time.between=2000',
  ])('refuses %s with 400, and names the parameter', async (query) => {
    const name = query.slice(0, query.indexOf('='));
    expect(await service.ask('ana', 'GET', `/actors/v2/search/actors?${query}`)).toMatchObject({
      status: 400,
      ...failed('VALIDATION', new RegExp(name)),
    });
  });
});

describe('a listing with query parameters', () => {
  it('is a search, unless the parameters are pretty, naked or x-nonce', async () => {
    for (const query of ['pretty=true', 'naked=false', 'x-nonce=nobody']) {
      const { json } = await service.ask('ana', 'GET', `/actors/v2?${query}`);
      expect(json).toMatchObject({ result: [{ id: own }, { id: shared }] });
    }
    expect(await search('ana', '/actors/v2?limit=1')).toMatchObject({
      metadata: { totalCount: 2, countReturned: 1 },
      rows: [{ id: own }],
    });
    expect(await idsOf('ana', '/actors/v2?name=shared&pretty=true')).toEqual([shared]);
  });

  it('searches the one actor of the path, for callers who may read that actor', async () => {
    expect(await idsOf('ana', `/actors/v2/${own}/executions?limit=10`)).toEqual([executions[0], executions[3]]);
    expect(await idsOf('ana', `/actors/v2/${own}/executions?status=COMPLETE`)).toEqual([executions[0]]);
    expect(await idsOf('ana', `/actors/v2/${own}/executions?id=${executions[1]}`)).toEqual([]);
    expect(await idsOf('admin', `/actors/v2/${own}/executions?limit=10`)).toEqual([executions[0], executions[3]]);
    expect(await idsOf('bob', `/actors/v2/${shared}/workers?status=READY`)).toEqual(['W123456789012']);
    expect(await idsOf('bob', `/actors/v2/${shared}/workers?status=BUSY`)).toEqual([]);
    expect(await service.ask('bob', 'GET', `/actors/v2/${own}/executions?limit=10`)).toMatchObject({ status: 404 });
  });

  it('works with an alias in the path', async () => {
    await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias: 'theown', actorId: own } });
    expect(await idsOf('ana', '/actors/v2/theown/executions?status=COMPLETE')).toEqual([executions[0]]);
  });

  it('searches one log if the path names one', async () => {
    const path = `/actors/v2/${own}/executions/${executions[0]}/logs`;
    expect((await search('ana', `${path}?exactsearch=disk`)).rows).toMatchObject([{ executionId: executions[0] }]);
    expect((await search('ana', `${path}?exactsearch=well`)).rows).toEqual([]);
    expect((await service.ask('ana', 'GET', path)).result['logs']).toBe('starting\nERROR: disk full\n');
    expect(
      await service.ask('ana', 'GET', `/actors/v2/${shared}/executions/${executions[0]}/logs?limit=1`),
    ).toMatchObject({
      status: 404,
    });
  });
});
