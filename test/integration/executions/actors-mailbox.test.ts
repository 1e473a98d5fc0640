// The mailbox of an actor over HTTP: counting, purging, its limit and its order.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { typed } from '../../support/service/call.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const bodiesLeft = (): string[] => readdirSync(join(service.folder, 'bodies'));

describe('a mailbox', () => {
  it('counts waiting messages only, and a purge cancels each of their executions', async () => {
    const id = await service.actor('ana');
    const running = await service.message('ana', id);
    await service.engine.start(running, 1);
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

  it('R138 answers 429 when it is full, and stores no body', async () => {
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
});
