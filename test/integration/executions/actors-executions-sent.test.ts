// The message of an execution: permissions to see its text, and its trigger.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('executions.show', () => {
  it('returns the message to callers with EXECUTE, and only the names of its variables', async () => {
    const id = await service.actor('ana');
    const sent = await service.ask('ana', 'POST', `/actors/v2/${id}/messages?KEY=secret`, { json: { a: 1 } });
    const path = `/actors/v2/${id}/executions/${sent.result['executionId']}`;
    expect((await service.ask('ana', 'GET', path)).result).toMatchObject({
      trigger: 'message',
      message: { type: 'json', text: '{"a":1}' },
      variables: ['KEY'],
    });
    for (const [level, shown] of [
      ['READ', false],
      ['EXECUTE', true],
    ] as const) {
      await service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { json: { user: 'bob', level } });
      expect(Object.hasOwn((await service.ask('bob', 'GET', path)).result, 'message')).toBe(shown);
    }
    const search = await service.ask('ana', 'GET', '/actors/v2/search/executions?exactsearch=secret');
    expect(search.result).toMatchObject({ _metadata: { totalCount: 0 } });
  });

  it('names the nonce of a message, and returns no message to a nonce', async () => {
    const id = await service.actor('ana');
    const made = await service.ask('ana', 'POST', `/actors/v2/${id}/nonces`, { json: {} });
    const nonce = { 'x-nonce': String(made.result['id']) };
    const sent = await service.ask(undefined, 'POST', `/actors/v2/${id}/messages`, { json: 1, headers: nonce });
    const path = `/actors/v2/${id}/executions/${sent.result['executionId']}`;
    const listed = (await service.ask('ana', 'GET', `/actors/v2/${id}/nonces`)).result as unknown as { id: string }[];
    expect((await service.ask('ana', 'GET', path)).result).toMatchObject({
      trigger: 'nonce',
      causedBy: { nonceId: listed[0]?.id },
    });
    expect(Object.hasOwn((await service.ask(undefined, 'GET', path, { headers: nonce })).result, 'message')).toBe(
      false,
    );
  });
});
