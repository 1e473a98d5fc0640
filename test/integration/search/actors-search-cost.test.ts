// A search over many records, or with a hostile pattern, ends and does not delay other requests.
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let actorId: string;
let executionId: string;

beforeAll(async () => {
  service = await startActorService();
  actorId = await service.actor('ana');
  executionId = await service.message('ana', actorId);
});
afterAll(() => service.close());

const writeLog = async (text: string): Promise<void> => {
  const writer = service.logs.open(executionId);
  writer.write('stdout', Buffer.from(text));
  await writer.close();
};

const fill = (count: number): Promise<void> =>
  service.store.transact((tx) => {
    const record = tx.get('executions', executionId);
    if (record === undefined) throw new Error('there is nothing to copy');
    for (let index = 0; index < count; index += 1) {
      const id = `X${String(index).padStart(12, '0')}`;
      tx.put('executions', { ...record, id, sequence: 1_000 + index, status: 'COMPLETE', exitCode: 3 });
    }
  });

describe('an expensive search', () => {
  it('over 20 000 records lets other requests through, and a hostile pattern ends with results or 400', async () => {
    await fill(20_000);
    const long = 'ab'.repeat(200_000);
    await writeLog(`${long}\n`.repeat(2) + `${long.slice(0, 4_000)}\n`.repeat(50));
    const hostile = encodeURIComponent('(?i)([ab]*a[ab]{90}){1,3}\\bz');
    let answered = 0;
    let over = false;
    const others = (async () => {
      while (!over) {
        await service.ask('bob', 'GET', '/actors/v2');
        answered += 1;
        await pass(1);
      }
    })();
    const [all, pattern] = await Promise.all([
      service.ask('ana', 'GET', '/actors/v2/search/executions?status=COMPLETE&exit_code=3&limit=1'),
      service.ask('ana', 'GET', `/actors/v2/${actorId}/executions/${executionId}/logs?logs.like=${hostile}`),
    ]);
    over = true;
    await others;
    expect(all.result).toMatchObject({ _metadata: { totalCount: 20_000, countReturned: 1 } });
    expect([200, 400]).toContain(pattern.status);
    expect(answered).toBeGreaterThan(10);
  });
});
