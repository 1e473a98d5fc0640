// The mailbox of an actor over HTTP: counting, purging, its limit and its order.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { putMessage } from '../../../daemon/domain/executions/put-message.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import { SLICE } from '../../../daemon/domain/records/slices.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { typed } from '../../support/service/call.ts';
import { actorRecord, messageRecord } from '../../support/service/records.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const bodiesLeft = (): string[] => readdirSync(join(service.folder, 'bodies'));

/** More messages than three transactions delete. */
const MANY = 3 * SLICE + 1;

/** Fills the mailbox of a new actor of ana. */
const fullMailbox = async ({ actor, store }: ActorService): Promise<string> => {
  const id = await actor('ana');
  await store.transact((tx) => {
    for (let n = 0; n < MANY; n += 1) {
      const { actorId: _a, tenant: _t, sequence: _s, actorRevision: _r, ...message } = messageRecord(`${id}x${n}`);
      putMessage(tx, actorRecord(id), message, {});
    }
  });
  return id;
};

/** Calls `work` and returns the numbers of records that its transactions changed. */
const changesOf = async ({ folder }: ActorService, work: () => Promise<unknown>): Promise<readonly number[]> => {
  const lines = () =>
    readFileSync(join(folder, 'db', 'journal-1.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
  const before = lines().length;
  await work();
  return lines()
    .slice(before)
    .map((line) => (JSON.parse(line) as [number, number, unknown[]])[2].length);
};

describe('a mailbox', () => {
  it('counts waiting messages only, and a purge cancels each of their executions', async () => {
    const id = await service.actor('ana');
    const running = await service.message('ana', id);
    await service.scheduler.start(running, 1);
    const small = await service.message('ana', id);
    const large = await service.message('ana', id, 'x'.repeat(70_000));
    const file = service.store.get('messages', large)?.bodyFile ?? '';
    const path = `/actors/v2/${id}/messages`;
    const _links = { self: `${service.baseUrl}${path}`, owner: `${service.baseUrl}/profiles/v2/ana` };
    expect((await service.ask('ana', 'GET', path)).result).toEqual({ messages: 2, _links });
    expect((await service.ask('ana', 'DELETE', path)).result).toEqual({ msg: '2 messages purged.', purged: 2, _links });
    expect((await service.ask('ana', 'GET', path)).result).toMatchObject({ messages: 0 });
    for (const execution of [small, large]) {
      expect(service.store.get('executions', execution)).toMatchObject({
        status: 'CANCELLED',
        statusMessage: 'the message was purged',
        finishedAt: expect.any(Number),
      });
    }
    expect(service.store.get('executions', running)?.status).toBe('RUNNING');
    expect(bodiesLeft()).not.toContain(file);
  });

  it('a purge with an execution cancels its message alone, and changes nothing if it does not wait', async () => {
    const id = await service.actor('ana');
    const running = await service.message('ana', id);
    await service.scheduler.start(running, 1);
    const [first, second] = [await service.message('ana', id), await service.message('ana', id, 'x'.repeat(70_000))];
    const elsewhere = await service.message('ana', await service.actor('ana'));
    const file = service.store.get('messages', second)?.bodyFile ?? '';
    const purge = async (execution: string) =>
      (await service.ask('ana', 'DELETE', `/actors/v2/${id}/messages?executionId=${execution}`)).result['purged'];
    expect(await purge(second)).toBe(1);
    expect([await purge(second), await purge(running), await purge(elsewhere)]).toEqual([0, 0, 0]);
    const statusOf = (execution: string) => service.store.get('executions', execution)?.status;
    expect([running, first, second, elsewhere].map(statusOf)).toEqual([
      'RUNNING',
      'SUBMITTED',
      'CANCELLED',
      'SUBMITTED',
    ]);
    expect(bodiesLeft()).not.toContain(file);
  });

  it('R138 returns 429 when it is full, and stores no body', async () => {
    const small = await startActorService({ queueLimit: 2 });
    try {
      const id = await small.actor('ana');
      await small.message('ana', id);
      await small.message('ana', id);
      const answer = await small.ask(
        'ana',
        'POST',
        `/actors/v2/${id}/messages`,
        typed('application/octet-stream', 'x'),
      );
      expect(answer).toMatchObject({ status: 429, headers: { 'x-failure-code': 'THROTTLED', 'retry-after': '1' } });
      expect(readdirSync(join(small.folder, 'bodies'))).toEqual([]);
      expect(small.store.count('executions')).toBe(2);
    } finally {
      await small.close();
    }
  });

  it('keeps the order in which messages were acknowledged', async () => {
    const id = await service.actor('ana');
    for (const text of ['1', '2', '3']) await service.message('ana', id, text);
    const messages = service.store.by('messages', 'actor', id).toSorted((a, b) => a.sequence - b.sequence);
    expect(messages.map(({ text }) => text)).toEqual(['1', '2', '3']);
  });

  it('a purge and a deletion change few records in each transaction, so that they hold up no other request', async () => {
    const id = await fullMailbox(service);
    // Each message is deleted, and its execution is changed.
    const purge = await changesOf(service, () => service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`));
    expect(purge).toEqual([2 * SLICE, 2 * SLICE, 2 * SLICE, 2]);
    const deletion = await changesOf(service, () => service.ask('ana', 'DELETE', `/actors/v2/${id}`));
    expect(Math.max(...deletion)).toBe(SLICE + 1);
    expect(service.store.countBy('executions', 'actor', id)).toBe(0);
  });

  it('a purge and a deletion read a slice of records before each transaction, so that they hold up no other request', async () => {
    const id = await fullMailbox(service);
    const { store } = service.dependencies;
    const { each, transact } = store;
    let slice = 0;
    const slices: number[] = [];
    const spies = [
      vi.spyOn(store, 'each').mockImplementation(function* (collection, index, value) {
        for (const record of each(collection, index, value)) {
          slice += 1;
          yield record;
        }
      }),
      vi.spyOn(store, 'transact').mockImplementation((decide) => {
        if (slice > 0) slices.push(slice);
        slice = 0;
        return transact(decide);
      }),
    ];
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    await service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`);
    await service.ask('ana', 'DELETE', `/actors/v2/${id}`);
    const ofAll = [SLICE, SLICE, SLICE, 1];
    expect(slices).toEqual([...ofAll, ...ofAll]);
  });

  it('a purge leaves messages that arrive after it', async () => {
    const id = await fullMailbox(service);
    const purge = service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`);
    const { transact } = service.store;
    // Sends a message between two slices.
    const later = new Promise<string>((resolve, reject) => {
      const spy = vi.spyOn(service.dependencies.store, 'transact').mockImplementation(async (decide) => {
        const done = await transact(decide);
        if (service.store.countBy('messages', 'actor', id) < MANY) {
          spy.mockRestore();
          service.message('ana', id).then(resolve, reject);
        }
        return done;
      });
    });
    expect((await purge).result).toMatchObject({ purged: MANY });
    expect(service.store.get('messages', await later)).toBeDefined();
  });

  it('a purge that the disk cuts short says so, and each message either waits or has a cancelled execution', async () => {
    const id = await fullMailbox(service);
    const { store } = service.dependencies;
    const { transact } = store;
    let calls = 0;
    const spy = vi.spyOn(store, 'transact').mockImplementation((decide) => {
      calls += 1;
      if (calls > 2) throw new Failure('STORE_UNAVAILABLE', 'The disk of the daemon is full. Nothing was changed.');
      return transact(decide);
    });
    onTestFinished(() => spy.mockRestore());
    const answer = await service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`);
    expect(answer).toMatchObject({ status: 503, headers: { 'x-failure-code': 'STORE_UNAVAILABLE' } });
    expect(answer.json).toMatchObject({ message: expect.stringContaining(`${SLICE} of ${MANY} messages were purged`) });
    const statuses = store.by('executions', 'actor', id).map((execution) => {
      const waits = store.get('messages', execution.id) !== undefined;
      return `${execution.status} ${waits ? 'waits' : 'gone'}`;
    });
    expect(new Set(statuses)).toEqual(new Set(['SUBMITTED waits', 'CANCELLED gone']));
    expect(statuses.filter((status) => status === 'CANCELLED gone')).toHaveLength(SLICE);
  });
});
