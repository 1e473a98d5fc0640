// Synchronous messages over HTTP: the sender waits for the end of the execution.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('a synchronous message', () => {
  const executionOf = async (id: string): Promise<string> => {
    for (;;) {
      const [execution] = service.store.by('executions', 'actor', id);
      if (execution !== undefined) return execution.id;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const sendAndWait = (id: string, signal?: AbortSignal) =>
    service.ask('ana', 'POST', `/actors/v2/${id}/messages?_abaco_synchronous=True`, {
      form: { message: 'hi' },
      ...(signal && { signal }),
    });

  it('is answered with the log when the execution has ended', async () => {
    const id = await service.actor('ana');
    const waiting = sendAndWait(id);
    const execution = await executionOf(id);
    await service.scheduler.start(execution, 1);
    const log = service.logs.open(execution);
    log.write('stdout', Buffer.from('<b>2 words</b>\n'));
    await log.close();
    await service.scheduler.end(execution, { finishedAt: 2 });
    expect(await waiting).toMatchObject({
      status: 200,
      text: '<b>2 words</b>\n',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'x-execution-id': execution,
        'x-execution-status': 'COMPLETE',
      },
    });
  });

  it('is also answered when its message is purged', async () => {
    const id = await service.actor('ana');
    const waiting = sendAndWait(id);
    await executionOf(id);
    await service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`);
    expect(await waiting).toMatchObject({ status: 200, text: '', headers: { 'x-execution-status': 'CANCELLED' } });
  });

  it('is still executed if its sender disconnects', async () => {
    const id = await service.actor('ana');
    const leave = new AbortController();
    const waiting = sendAndWait(id, leave.signal);
    const execution = await executionOf(id);
    leave.abort();
    await expect(waiting).rejects.toThrow();
    expect(service.store.get('messages', execution)).toBeDefined();
    expect(service.store.get('executions', execution)).toMatchObject({ status: 'SUBMITTED' });
  });

  it('is refused if more than three messages are waiting', async () => {
    const id = await service.actor('ana');
    for (let count = 0; count < 4; count += 1) await service.message('ana', id);
    const answer = await sendAndWait(id);
    expect(answer).toMatchObject({ status: 400, headers: { 'x-failure-code': 'VALIDATION' } });
    expect(service.store.countBy('messages', 'actor', id)).toBe(4);
  });

  it('gets 503 and the id of its execution when the daemon stops', async () => {
    const own = await startActorService();
    try {
      const id = await own.actor('ana');
      const waiting = own.ask('ana', 'POST', `/actors/v2/${id}/messages?_svc_synchronous=true&message=x`);
      while (own.store.countBy('executions', 'actor', id) === 0) await new Promise((resolve) => setImmediate(resolve));
      await own.drain();
      const [execution] = own.store.by('executions', 'actor', id);
      expect(await waiting).toMatchObject({ status: 503, headers: { 'x-execution-id': execution?.id } });
    } finally {
      await own.close();
    }
  });
});
