// The search of executions over HTTP on a real store: filters, matches, permissions, cursors and bad input.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, type Name, startActorService } from '../../support/service/actor-service.ts';

interface Found {
  readonly id: string;
  readonly actorName: string;
  readonly match?: { readonly in: string; readonly line: number; readonly text: string };
}

let service: ActorService;
/** Actors of ana. Bob may read the first and send to the second. */
let read: string;
let sendable: string;
const ids: Record<'failed' | 'waiting' | 'secret' | 'complete' | 'bobs', string> = {
  failed: '',
  waiting: '',
  secret: '',
  complete: '',
  bobs: '',
};

const ask = async (as: Name, query: string) => {
  const { status, result } = await service.ask(as, 'GET', `/actors/v2/executions?${query}`);
  expect(status).toBe(200);
  return {
    rows: result['executions'] as readonly Found[],
    next: result['next'] as string | null,
    searchedTo: result['searchedTo'] as string | null,
    examined: result['examined'] as number,
  };
};
const idsOf = async (as: Name, query: string) => (await ask(as, query)).rows.map(({ id }) => id);

/** All rows of a search, and the number of its requests. */
const all = async (as: Name, query: string) => {
  const rows: Found[] = [];
  let requests = 0;
  for (let after = ''; ; requests += 1) {
    const page = await ask(as, `${query}${after}`);
    rows.push(...page.rows);
    if (page.next === null) return { rows, requests: requests + 1 };
    after = `&after=${page.next}`;
  }
};

const log = async (id: string, ...chunks: readonly ['stdout' | 'stderr', string][]): Promise<void> => {
  const writer = service.logs.open(id);
  for (const [stream, text] of chunks) writer.write(stream, Buffer.from(text));
  await writer.close();
};

const end = (id: string, fields: object) =>
  service.store.transact((tx) => {
    const record = tx.get('executions', id);
    if (record === undefined) throw new Error(`no execution ${id}`);
    const ended = { startedAt: record.receivedAt, finishedAt: record.receivedAt + 5, status: 'COMPLETE' };
    tx.put('executions', { ...record, ...ended, ...fields } as typeof record);
  });

beforeAll(async () => {
  service = await startActorService();
  read = await service.actor('ana', { name: 'reader' });
  sendable = await service.actor('ana', { name: 'sender' });
  const grants: [string, string][] = [
    [read, 'READ'],
    [sendable, 'EXECUTE'],
  ];
  for (const [id, level] of grants)
    await service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { json: { user: 'bob', level } });
  const bobs = await service.actor('bob', { name: 'bobs' });
  await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias: 'reading', actorId: read } });
  for (const [key, as, actorId, text] of [
    ['failed', 'ana', read, 'count the words'],
    ['waiting', 'ana', sendable, 'first\nthe Disk is full'],
    ['secret', 'ana', read, 'my disk password'],
    ['complete', 'ana', sendable, 'nothing here'],
    ['bobs', 'bob', bobs, 'disk of bob'],
  ] as const) {
    ids[key] = await service.message(as, actorId, text);
    service.advance(1_000);
  }
  await end(ids.failed, { exitCode: 3, reason: 'exited', lastStderr: 'disk' });
  await end(ids.secret, { exitCode: 137, reason: 'timed_out' });
  await end(ids.complete, { exitCode: 0, reason: 'exited' });
  await log(ids.failed, ['stdout', 'starting\nhalf a '], ['stderr', '\u001b[31mERROR\u001b[0m: disk full\n']);
  await log(ids.complete, ['stdout', 'all is well\n']);
});
afterAll(() => service.close());

describe('a search of executions', () => {
  it('returns the first line that matches, of a message or a log, with its number', async () => {
    const { rows, next } = await ask('ana', 'text=DISK');
    expect(rows.map(({ id, match, actorName }) => [id, actorName, match?.in, match?.line, match?.text])).toEqual([
      [ids.secret, 'reader', 'message', 1, 'my disk password'],
      [ids.waiting, 'sender', 'message', 2, 'the Disk is full'],
      [ids.failed, 'reader', 'log', 3, 'ERROR: disk full'],
    ]);
    expect(next).toBeNull();
  });

  it('looks in messages or in logs only, and finds a whole id', async () => {
    expect(await idsOf('ana', 'text=disk&in=log')).toEqual([ids.failed]);
    expect(await idsOf('ana', 'text=disk&in=message')).toEqual([ids.secret, ids.waiting]);
    expect(await idsOf('ana', `text=${ids.complete}`)).toEqual([ids.complete]);
    expect(await idsOf('ana', `text=${ids.complete.slice(1)}`)).toEqual([]);
  });

  it('is limited to an actor, given by id, alias or name', async () => {
    for (const actorId of [read, 'reading', 'reader'])
      expect(await idsOf('ana', `actorId=${actorId}`)).toEqual([ids.secret, ids.failed]);
  });

  it('is limited to outcomes, in words and as statuses', async () => {
    expect(await idsOf('ana', 'outcome=failed')).toEqual([ids.failed]);
    expect(await idsOf('ana', 'outcome=failed,timed%20out')).toEqual([ids.secret, ids.failed]);
    expect(await idsOf('ana', 'outcome=complete&outcome=waiting')).toEqual([ids.complete, ids.waiting]);
    expect(await idsOf('ana', 'outcome=COMPLETE')).toEqual([ids.complete, ids.secret, ids.failed]);
  });

  it('is limited to a time range, in either order', async () => {
    const [, second, third] = (await all('ana', 'order=asc')).rows as unknown as readonly {
      messageReceivedTime: string;
    }[];
    const range = `since=${second?.messageReceivedTime}&until=${third?.messageReceivedTime}`;
    expect(await idsOf('ana', range)).toEqual([ids.secret, ids.waiting]);
    expect(await idsOf('ana', `${range}&order=asc`)).toEqual([ids.waiting, ids.secret]);
    const { rows, searchedTo } = await ask('ana', 'until=2001-01-01T00:00:00Z');
    expect([rows, searchedTo]).toEqual([[], null]);
  });

  it('continues after its cursor, also if the execution of the cursor was deleted', async () => {
    const own = await startActorService();
    const actorId = await own.actor('ana');
    const sent: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      sent.push(await own.message('ana', actorId));
      own.advance(1_000);
    }
    const page = async (after: string) => {
      const { result } = await own.ask('ana', 'GET', `/actors/v2/executions?limit=2${after}`);
      return { ids: (result['executions'] as readonly Found[]).map(({ id }) => id), next: String(result['next']) };
    };
    const first = await page('');
    expect(first.ids).toEqual([sent[5], sent[4]]);
    const late = await own.message('ana', actorId);
    await own.store.transact((tx) => tx.delete('executions', sent[4] ?? ''));
    const second = await page(`&after=${first.next}`);
    expect(second.ids).toEqual([sent[3], sent[2]]);
    expect(second.ids).not.toContain(late);
    expect((await page(`&after=${second.next}`)).next).toBe('null');
    await own.close();
  });

  it('shows what the caller may read: logs with READ, messages with EXECUTE', async () => {
    expect(await idsOf('bob', 'text=disk')).toEqual([ids.bobs, ids.waiting, ids.failed]);
    expect(await idsOf('otherAna', 'text=disk')).toEqual([]);
    expect(await idsOf('admin', 'text=disk')).toEqual([]);
    expect(await idsOf('admin', `text=disk&actorId=${read}`)).toEqual([ids.secret, ids.failed]);
    expect(await service.ask('priv', 'GET', `/actors/v2/executions?actorId=${read}`)).toMatchObject(
      failed('NOT_FOUND'),
    );
    const { next } = await ask('ana', `actorId=${read}&limit=1`);
    // The cursor of an execution that the caller may not read is only a time.
    expect(await idsOf('otherAna', `after=${next}`)).toEqual([]);
  });

  it.each([
    'after=x',
    'after=1.a.b',
    'outcome=good',
    'order=down',
    'in=files',
    'limit=0',
    'limit=201',
    'since=yesterday',
    'until=2026-13-01T00:00:00Z',
    'since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z',
    `text=${'x'.repeat(257)}`,
    'text=a%0Ab',
    'text=%00',
  ])('refuses %s', async (query) => {
    const answer = await service.ask('ana', 'GET', `/actors/v2/executions?${query}`);
    expect(answer).toMatchObject(failed('VALIDATION'));
  });
});

describe('what one request examines', () => {
  it('is limited: long logs are searched by several requests', async () => {
    const own = await startActorService();
    const actorId = await own.actor('ana');
    const text = `${'x'.repeat(99)}\n`.repeat(9_000);
    for (let n = 0; n < 12; n += 1) {
      const id = await own.message('ana', actorId);
      const writer = own.logs.open(id);
      writer.write('stdout', Buffer.from(n === 0 ? `${text}needle\n` : text));
      await writer.close();
    }
    const outer = service;
    service = own;
    try {
      const first = await ask('ana', 'text=needle&in=log');
      expect(first.rows).toEqual([]);
      expect(first.examined).toBeLessThan(8);
      expect(first.searchedTo).not.toBeNull();
      const { rows, requests } = await all('ana', 'text=needle&in=log');
      expect(rows.map(({ match }) => match)).toEqual([{ in: 'log', line: 9_001, text: 'needle', start: 0, end: 6 }]);
      expect(requests).toBeGreaterThan(2);
    } finally {
      service = outer;
      await own.close();
    }
  });
});
