// Messages sent again: idempotency keys, details of waiting messages, and reruns of executions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let actor: string;
beforeAll(async () => {
  service = await startActorService();
  actor = await service.actor('ana');
});
afterAll(() => service.close());

const grant = (user: string, level: string) =>
  service.ask('ana', 'POST', `/actors/v2/${actor}/permissions`, { json: { user, level } });
const send = (as: 'ana' | 'bob', message: string, key?: string) =>
  service.ask(as, 'POST', `/actors/v2/${actor}/messages`, {
    form: { message },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const sent = async (...args: Parameters<typeof send>) => String((await send(...args)).result['executionId']);

describe('the header Idempotency-Key', () => {
  it('identifies a message among those of one sender to one actor', async () => {
    await grant('bob', 'EXECUTE');
    const first = await sent('ana', 'hi', 'k');
    expect(await sent('ana', 'hi', 'k')).toBe(first);
    expect(await sent('bob', 'hi', 'k')).not.toBe(first);
    expect(await send('ana', 'ho', 'k')).toMatchObject({ status: 409 });
    expect(service.store.by('messages', 'actor', actor)).toHaveLength(2);
  });

  it('identifies a message among those of one nonce, apart from other nonces and their owner', async () => {
    const own = await service.actor('ana');
    const nonce = async (): Promise<string> =>
      String((await service.ask('ana', 'POST', `/actors/v2/${own}/nonces`, { json: {} })).result['id']);
    const sendBy = async (secret: string | undefined, message: string): Promise<unknown> => {
      const headers = { 'idempotency-key': 'k', ...(secret !== undefined && { 'x-nonce': secret }) };
      const as = secret === undefined ? 'ana' : undefined;
      const answer = await service.ask(as, 'POST', `/actors/v2/${own}/messages`, { form: { message }, headers });
      return answer.result['executionId'];
    };
    const [one, other] = [await nonce(), await nonce()];
    const first = [await sendBy(one, 'hi'), await sendBy(other, 'ho'), await sendBy(undefined, 'hi')];
    expect([await sendBy(one, 'hi'), await sendBy(other, 'ho'), await sendBy(undefined, 'hi')]).toEqual(first);
    expect(new Set(first).size).toBe(3);
    expect(service.store.countBy('messages', 'actor', own)).toBe(3);
  });

  it('is refused if it is empty, too long or contains a space', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256)]) expect(await send('ana', 'hi', key)).toMatchObject({ status: 400 });
  });
});

describe('messages.count with details', () => {
  it('describes waiting messages without their content, oldest first, to callers with READ', async () => {
    await grant('bob', 'READ');
    const answer = await service.ask('bob', 'GET', `/actors/v2/${actor}/messages?details=true`, {});
    expect(answer.status).toBe(200);
    expect(answer.result['waiting']).toMatchObject([
      { type: 'text', size: 2, from: 'ana' },
      { type: 'text', size: 2, from: 'bob' },
    ]);
    const plain = await service.ask('bob', 'GET', `/actors/v2/${actor}/messages`, {});
    expect(plain.result).not.toHaveProperty('waiting');
    await grant('bob', 'NONE');
    expect((await service.ask('bob', 'GET', `/actors/v2/${actor}/messages?details=true`, {})).status).toBe(404);
  });
});

describe('executions.rerun', () => {
  it('with an idempotency key is accepted once, and refuses another text under the same key', async () => {
    const [id, other] = [await sent('ana', 'once'), await sent('ana', 'once')];
    const rerun = async (of: string, text?: string) => {
      const json = text === undefined ? {} : { message: { type: 'text', text } };
      const path = `/actors/v2/${actor}/executions/${of}/rerun`;
      return service.ask('ana', 'POST', path, { json, headers: { 'idempotency-key': 'rerun' } });
    };
    const first = await rerun(id);
    expect((await rerun(id)).result['executionId']).toBe(first.result['executionId']);
    for (const answer of [await rerun(id, 'twice'), await rerun(other)]) expect(answer.status).toBe(409);
  });

  it('needs EXECUTE, sends as the caller, and names the original execution', async () => {
    const id = await sent('ana', 'again');
    const rerun = (as: 'bob') => service.ask(as, 'POST', `/actors/v2/${actor}/executions/${id}/rerun`, {});
    await grant('bob', 'READ');
    expect((await rerun('bob')).status).toBe(403);
    await grant('bob', 'EXECUTE');
    const { status, result } = await rerun('bob');
    expect({ status, of: result['rerunOf'] }).toEqual({ status: 200, of: id });
    expect(service.store.get('messages', String(result['executionId']))).toMatchObject({
      text: 'again',
      contentType: 'str',
      executor: 'bob',
    });
    const shown = await service.ask('bob', 'GET', `/actors/v2/${actor}/executions/${result['executionId']}`, {});
    expect(shown.result['rerunOf']).toBe(id);
  });

  it('sends the edited message as it is, with the variables of the original, also if that was not kept', async () => {
    const messages = `/actors/v2/${actor}/messages`;
    const original = await service.ask('ana', 'POST', `${messages}?LEVEL=7`, { form: { message: 'first' } });
    const rerun = async (id: unknown, message: unknown) =>
      service.ask('ana', 'POST', `/actors/v2/${actor}/executions/${String(id)}/rerun`, { json: { message } });
    const text = '{"message": "kept whole", "n": 12345678901234567890}';
    const edited = await rerun(original.result['executionId'], { type: 'json', text });
    const waiting = service.store.get('messages', String(edited.result['executionId']));
    expect(waiting).toMatchObject({ text, contentType: 'application/json', variables: { LEVEL: '7' } });
    const shown = await service.ask('ana', 'GET', `/actors/v2/executions/${edited.result['executionId']}`, {});
    expect(shown.result['rerunOf']).toBe(original.result['executionId']);

    const long = await rerun(await sent('ana', 'x'.repeat(4_097)), { type: 'text', text: '' });
    expect(service.store.get('messages', String(long.result['executionId']))).toMatchObject({ text: '' });
    for (const wrong of ['text', { type: 'binary', text: 'AA==' }, { type: 'json', text: 'no' }, { type: 'text' }]) {
      expect(await rerun(original.result['executionId'], wrong)).toMatchObject({ status: 400 });
    }
  });

  it('does not find the executions of another actor', async () => {
    const id = await sent('ana', 'mine');
    const other = await service.actor('ana');
    expect((await service.ask('ana', 'POST', `/actors/v2/${other}/executions/${id}/rerun`, {})).status).toBe(404);
  });

  it('refuses a message longer than 4096 bytes or binary with MESSAGE_NOT_KEPT', async () => {
    for (const message of ['x'.repeat(4_097), 'ü'.repeat(2_049)]) {
      const id = await sent('ana', message);
      const answer = await service.ask('ana', 'POST', `/actors/v2/${actor}/executions/${id}/rerun`, {});
      expect(answer.status).toBe(409);
    }
    const longest = await sent('ana', 'x'.repeat(4_096));
    expect((await service.ask('ana', 'POST', `/actors/v2/${actor}/executions/${longest}/rerun`, {})).status).toBe(200);
  });
});
