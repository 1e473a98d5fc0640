// Deliveries over HTTP: permissions, redelivery, webhook tests, and the cause that an execution records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../daemon/domain/records/event-records.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
import { runningExecution } from '../../support/scenarios/resources.ts';
import { type ActorService, failed, type Name, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startActorService(), startReceiver()]);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const tryOut = async (as: Name, actorId: string) => service.ask(as, 'POST', `/actors/v2/${actorId}/webhook/test`);
const list = async (as: Name, query = '') => {
  const { result } = await service.ask(as, 'GET', `/actors/v2/deliveries${query}`);
  return result as { readonly deliveries: readonly Record<string, unknown>[]; readonly next: string };
};
const share = (id: string, user: string, level: string) =>
  service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { json: { user, level } });
const again = (as: Name, id: unknown) => service.ask(as, 'POST', `/actors/v2/deliveries/${String(id)}/redeliver`);

describe('a webhook test', () => {
  it('posts a synthetic event to the webhook only, and returns the result', async () => {
    const linked = await service.actor('ana');
    const id = await service.actor('ana', { webhook: receiver.url, link: linked });
    expect((await tryOut('ana', id)).result).toMatchObject({
      actorId: id,
      eventType: 'WEBHOOK_TEST',
      url: receiver.url,
      status: 'DELIVERED',
      httpStatus: 200,
      sentTime: expect.stringMatching(/Z$/),
      finishTime: expect.stringMatching(/Z$/),
    });
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({
      actor_id: id,
      event_type: 'WEBHOOK_TEST',
      synthetic: true,
      _svc_link: '',
    });
    expect(service.store.countBy('messages', 'actor', linked)).toBe(0);
  });

  it('returns the reason of a failure', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    receiver.answer = (response) => response.writeHead(302, { location: 'http://u:p@169.254.169.254/x?key=1' }).end();
    const { result, json } = await tryOut('ana', id);
    receiver.answer = (response) => response.end();
    expect(json).toMatchObject({ message: expect.stringContaining('failed') });
    expect(result).toMatchObject({
      status: 'FAILED',
      httpStatus: 302,
      error: 'the receiver responded with 302, a redirect to http://169.254.169.254/x; redirects are not followed',
    });
  });
});

describe('deliveries', () => {
  it('are listed for readers of the actor, and for an admin who names the actor', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const { result } = await tryOut('ana', id);
    const seenBy = async (as: Name, query: string) => (await list(as, query)).deliveries.map((each) => each['id']);
    expect(await seenBy('ana', `?actorId=${id}`)).toEqual([result['id']]);
    expect(await seenBy('bob', '')).not.toContain(result['id']);
    expect(await seenBy('otherAna', '')).not.toContain(result['id']);
    expect(await seenBy('admin', '')).not.toContain(result['id']);
    expect(await seenBy('admin', `?actorId=${id}`)).toEqual([result['id']]);
    for (const as of ['bob', 'otherAna', 'otherAdmin'] as const) {
      expect(await service.ask(as, 'GET', `/actors/v2/deliveries?actorId=${id}`)).toMatchObject(failed('NOT_FOUND'));
    }
    await share(id, 'bob', 'READ');
    expect(await seenBy('bob', '')).toContain(result['id']);
  });

  it('are listed newest first, in pages after a cursor, or only the failed ones', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const ids: unknown[] = [];
    for (const status of [200, 500, 200, 404]) {
      receiver.answer = (response) => response.writeHead(status).end();
      ids.push((await tryOut('ana', id)).result['id']);
    }
    receiver.answer = (response) => response.end();
    const of = (more: string) => list('ana', `?actorId=${id}${more}`);
    expect((await of('&limit=1')).deliveries.map((each) => each['id'])).toEqual([ids[3]]);
    expect((await of('&failed=true')).deliveries.map((each) => each['id'])).toEqual([ids[1], ids[3]]);
    const first = await of('&after=0&limit=3');
    expect(first.deliveries.map((each) => each['id'])).toEqual(ids.slice(0, 3));
    const second = await of(`&after=${first.next}`);
    expect(second.deliveries.map((each) => each['id'])).toEqual(ids.slice(3));
    expect(await of(`&after=${second.next}`)).toEqual({ deliveries: [], next: second.next });
  });

  it('that are waiting are dropped when the webhook changes or is removed, and do not delay the new webhook', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    let letGo = () => undefined as undefined;
    receiver.answer = (response) => {
      letGo = () => void response.end() as undefined;
    };
    const emit = () => service.ask('ana', 'POST', `/actors/v2/${id}/events`, { json: { event_type: 'NOTICE' } });
    const statuses = async () => (await list('ana', `?actorId=${id}`)).deliveries.map(({ status }) => status);
    for (let count = 0; count < 3; count += 1) await emit();
    await expect.poll(async () => (await statuses())[0]).toBe('SENDING');
    await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', webhook: `${receiver.url}/new` } });
    expect(await statuses()).toEqual(['SENDING', 'DROPPED', 'DROPPED']);
    receiver.answer = (response) => response.end();
    letGo();
    await emit();
    await expect.poll(async () => (await statuses())[3]).toBe('DELIVERED');
    expect((await list('ana', `?actorId=${id}`)).deliveries[1]).toMatchObject({
      error: 'the webhook was changed or removed before this delivery was sent',
    });
    expect(receiver.received.at(-1)?.path).toContain('/new');
  });

  it('of a deleted actor are visible to its former owner only, and are not sent again', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const delivery = (await tryOut('ana', id)).result['id'];
    await share(id, 'bob', 'UPDATE');
    await service.ask('ana', 'DELETE', `/actors/v2/${id}?force=true`);
    expect((await list('ana', `?actorId=${id}`)).deliveries.map((each) => each['id'])).toEqual([delivery]);
    expect(await service.ask('bob', 'GET', `/actors/v2/deliveries?actorId=${id}`)).toMatchObject(failed('NOT_FOUND'));
    expect(await again('ana', delivery)).toMatchObject({ status: 409, ...failed('NO_RECEIVER', /was deleted/) });
    expect(await again('bob', delivery)).toMatchObject(failed('NOT_FOUND'));
  });

  it('that are sent again become new deliveries of the same event to the current webhook, and the old ones stay unchanged', async () => {
    const id = await service.actor('ana', { webhook: 'http://127.0.0.1:9/closed' });
    const { result: old } = await tryOut('ana', id);
    expect(old).toMatchObject({ status: 'FAILED', error: expect.stringContaining('refused') });
    await service.ask('ana', 'PUT', `/actors/v2/${id}`, { json: { image: 'alpine', webhook: receiver.url } });
    const { result: made } = await again('ana', old['id']);
    expect(made).toMatchObject({
      status: 'DELIVERED',
      redeliveryOf: old['id'],
      eventId: old['eventId'],
      url: receiver.url,
    });
    expect((await list('ana', `?actorId=${id}`)).deliveries).toEqual([old, made]);
  });

  it('are sent again only by holders of UPDATE, and callers without permission get the response for an unknown delivery', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const { result } = await tryOut('ana', id);
    const unknown = await again('bob', 'nothing');
    for (const as of ['bob', 'otherAna', 'otherAdmin'] as const) {
      const answer = await again(as, result['id']);
      expect(answer).toMatchObject({ status: 404, ...failed('NOT_FOUND') });
      expect(answer.text).toBe(unknown.text);
    }
    await share(id, 'bob', 'EXECUTE');
    expect(await again('bob', result['id'])).toMatchObject({ status: 403, ...failed('FORBIDDEN') });
    expect((await again('admin', result['id'])).status).toBe(200);
  });
});

describe('a webhook whose last delivery failed', () => {
  it('is named with the reason in links and lists, until a delivery arrives', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const problems = async () => {
      const { result } = await service.ask('ana', 'GET', `/actors/v2/${id}/links`);
      const { json } = await service.ask('ana', 'GET', '/actors/v2?details=true');
      const listed = (json as { result: Record<string, unknown>[] }).result.find((actor) => actor['id'] === id);
      expect(listed?.['webhookProblem']).toBe(result['webhookProblem']);
      return result['webhookProblem'];
    };
    expect(await problems()).toBeUndefined();
    receiver.answer = (response) => response.writeHead(410).end();
    await tryOut('ana', id);
    receiver.answer = (response) => response.end();
    expect(await problems()).toBe('the last delivery failed: the receiver responded with 410');
    await tryOut('ana', id);
    expect(await problems()).toBeUndefined();
  });
});

describe('an execution', () => {
  const send = (as: Name, actorId: string, headers: Readonly<Record<string, string>>) =>
    service.ask(as, 'POST', `/actors/v2/${actorId}/messages`, { form: { message: 'hi' }, headers });
  const causeOf = (answer: { readonly result: Readonly<Record<string, unknown>> }) =>
    service.store.get('executions', String(answer.result['executionId']))?.cause;

  it('R134 from a webhook to this daemon, by a nonce, records the delivery and the event as its cause', async () => {
    const target = await service.actor('ana');
    const { result: nonce } = await service.ask('ana', 'POST', `/actors/v2/${target}/nonces`, { json: {} });
    const url = `${service.baseUrl}/actors/v2/${target}/messages?x-nonce=${String(nonce['id'])}`;
    const id = await service.actor('ana', { webhook: url });
    const { result } = await tryOut('ana', id);
    expect(result).toMatchObject({ status: 'DELIVERED', httpStatus: 200 });
    const [execution] = service.store.by('executions', 'actor', target);
    expect(execution?.cause).toEqual({
      deliveryId: result['id'],
      event: Number(result['eventId']),
      nonceId: expect.stringMatching(/^DEV_/),
    });
  });

  it('records no delivery that is finished, unknown or of another tenant', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const { result } = await tryOut('ana', id);
    expect(causeOf(await send('ana', id, { 'x-delivery-id': String(result['id']) }))).toBeUndefined();
    expect(causeOf(await send('ana', id, { 'x-delivery-id': '__proto__' }))).toBeUndefined();
    const others = await service.actor('otherAna');
    const event: EventRecord = { number: 1, serial: 1, tenant: 'DEV', actorId: id, owner: 'ana', type: 'X', at: 1 };
    await service.store.transact((tx) => {
      tx.put('events', event);
      const about = { tenant: 'DEV', actorId: id, owner: 'ana', eventNumber: 1, eventSerial: 1, url: receiver.url };
      tx.put('deliveries', { ...about, id: 'underway', sequence: 1, serial: 1, status: 'SENDING', createdAt: 1 });
    });
    expect(causeOf(await send('otherAna', others, { 'x-delivery-id': 'underway' }))).toBeUndefined();
    const next = await service.actor('ana');
    expect(causeOf(await send('ana', next, { 'x-delivery-id': 'underway' }))).toEqual({
      deliveryId: 'underway',
      event: 1,
    });
    expect(await send('ana', id, { 'x-delivery-id': 'underway' })).toMatchObject({ status: 400 });
  });

  it('records the execution whose token sent its message', async () => {
    const id = await service.actor('ana', { token: true });
    const { executionId, headers } = await runningExecution(service, id);
    expect(causeOf(await send('ana', id, headers))).toEqual({ executionId });
  });
});
