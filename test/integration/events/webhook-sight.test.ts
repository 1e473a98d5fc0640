// Who sees the whole URL of a webhook, over HTTP: in actors, searches and deliveries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
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

const deliveriesOf = async (as: Name, actorId: string) => {
  const { result } = await service.ask(as, 'GET', `/actors/v2/deliveries?actorId=${actorId}`);
  return result['deliveries'] as readonly Record<string, unknown>[];
};
const share = (id: string, user: string, level: string) =>
  service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { json: { user, level } });

describe('a delivery', () => {
  it('shows its request, the begin of the response without secrets, and all attempts of its event', async () => {
    const url = `${receiver.url}/hook?key=s3cr3t`;
    const id = await service.actor('ana', { webhook: url });
    receiver.answer = (response) =>
      response.writeHead(500, { 'content-type': 'text/plain' }).end('no user for key s3cr3t\n{"token":"abcdef"}');
    const { result: first } = await service.ask('ana', 'POST', `/actors/v2/${id}/webhook/test`);
    receiver.answer = (response) => response.end('y'.repeat(100_000));
    const path = `/actors/v2/deliveries/${String(first['id'])}`;
    const { result: second } = await service.ask('ana', 'POST', `${path}/redeliver`);
    receiver.answer = (response) => response.end();
    const { result } = await service.ask('ana', 'GET', path);
    expect(result).toMatchObject({
      ...first,
      request: {
        headers: [
          { name: 'content-type', value: 'application/json' },
          { name: 'x-delivery-id', value: first['id'] },
          { name: 'x-event-number', value: first['eventId'] },
        ],
        body: receiver.received.at(-2)?.body,
      },
      response: { type: 'text/plain', text: 'no user for key ***\n{"token":"***"}' },
      attempts: [
        { id: first['id'], status: 'FAILED', httpStatus: 500 },
        { id: second['id'], status: 'DELIVERED', httpStatus: 200 },
      ],
    });
    expect((await service.ask('ana', 'GET', `/actors/v2/deliveries/${String(second['id'])}`)).result).toMatchObject({
      response: { text: 'y'.repeat(4_096), isCut: true },
    });
    await share(id, 'bob', 'EXECUTE');
    const seen = await service.ask('bob', 'GET', path);
    expect(seen.result).toMatchObject({ url: new URL(url).origin, request: result['request'] });
    expect(seen.text).not.toMatch(/no user|s3cr3t/);
    expect(await service.ask('otherAna', 'GET', path)).toMatchObject(failed('NOT_FOUND'));
    expect((await deliveriesOf('ana', id))[0]).not.toHaveProperty('response');
  });
});

describe('the response of a receiver that repeats what the actor sent to it', () => {
  const value = { key: 'Zx81-"quoted"-config-key', lines: 'first line of it\nsecond line of it', short: 'abc' };
  const echo = 'Zx81-"quoted"-config-key abc first line of it second line of it public-value-of-the-actor';
  const respondedTo = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
    const id = await service.actor('ana', { webhook: receiver.url, ...fields });
    const config = { actors: id, name: `secret-of-${id}`, value, is_secret: true };
    const plain = { ...config, name: `plain-of-${id}`, value: 'public-value-of-the-actor', is_secret: false };
    for (const json of [config, plain]) await service.ask('ana', 'POST', '/actors/v2/configs', { json });
    receiver.answer = (response) => response.end(`${JSON.stringify(value)} ${echo}`);
    const { result } = await service.ask('ana', 'POST', `/actors/v2/${id}/webhook/test`);
    receiver.answer = (response) => response.end();
    return service.store.get('deliveries', String(result['id']))?.response?.text ?? '';
  };

  it('is stored without the values of the secret configs of the actor', async () => {
    expect(await respondedTo({})).toBe(
      '{"key":"***","lines":"***","short":"abc"} *** abc *** *** public-value-of-the-actor',
    );
  });

  it('is stored whole if the logs of the actor show secrets', async () => {
    expect(await respondedTo({ showSecrets: true })).toBe(`${JSON.stringify(value)} ${echo}`);
  });

  it('is not stored if the secrets cannot be decrypted', async () => {
    const id = await service.actor('ana', { webhook: receiver.url });
    const config = { name: `unreadable-${id}`, tenant: 'DEV', owner: 'ana', permissions: {}, actors: id };
    await service.store.transact((tx) =>
      tx.put('configs', { ...config, value: 'sealed:v1:x', isSecret: true, revision: 1, createdAt: 1, updatedAt: 1 }),
    );
    receiver.answer = (response) => response.end('anything');
    const { result } = await service.ask('ana', 'POST', `/actors/v2/${id}/webhook/test`);
    receiver.answer = (response) => response.end();
    const stored = service.store.get('deliveries', String(result['id']));
    expect([stored?.status, stored?.httpStatus, stored?.response]).toEqual(['DELIVERED', 200, undefined]);
  });
});

describe('the URL of a webhook', () => {
  const path = '/hook/Zx81KeyOfTheReceiver?key=s3cr3t';
  const whole = () => `${receiver.url}${path}`;

  it('R251 shows callers below UPDATE only its origin, in every record of actors and deliveries', async () => {
    const id = await service.actor('ana', { webhook: whole(), stateless: false });
    receiver.answer = (response) => response.writeHead(307, { location: `/moved${path}` }).end();
    await service.ask('ana', 'POST', `/actors/v2/${id}/webhook/test`);
    receiver.answer = (response) => response.end();
    await service.ask('ana', 'POST', `/actors/v2/${id}/events`, { json: { event_type: 'NOTICE' } });
    await share(id, 'bob', 'EXECUTE');
    const reads = [
      `/actors/v2/${id}`,
      '/actors/v2',
      '/actors/v2?details=true',
      `/actors/v2?id=${id}`,
      '/actors/v2/search/actors?limit=100',
      `/actors/v2/deliveries?actorId=${id}`,
    ];
    const { origin } = new URL(receiver.url);
    for (const read of reads) {
      const { status, text } = await service.ask('bob', 'GET', read);
      expect({ read, status, text }).toMatchObject({ status: 200, text: expect.stringContaining(origin) });
      expect(text).not.toMatch(/Zx81|s3cr3t|moved/);
    }
    const { text } = await service.ask('ana', 'GET', `/actors/v2/${id}`);
    expect(JSON.parse(text)).toMatchObject({ result: { webhook: whole() } });
    expect((await deliveriesOf('ana', id))[0]).toMatchObject({
      url: whole(),
      error: expect.stringContaining('a redirect to '),
    });
    const [seen] = await deliveriesOf('bob', id);
    expect(seen).toMatchObject({
      url: origin,
      error: `the receiver responded with 307, a redirect to ${origin}; redirects are not followed`,
    });
  });

  it('cannot be guessed by searches of callers below UPDATE', async () => {
    const id = await service.actor('ana', { webhook: whole() });
    await share(id, 'bob', 'READ');
    const hits = async (as: Name, query: string): Promise<number> => {
      const { result } = await service.ask(as, 'GET', `/actors/v2/search/actors?id=${id}&${query}`);
      return (result['search'] as readonly unknown[]).length;
    };
    expect(await hits('ana', 'webhook.like=s3cr')).toBe(1);
    expect(await hits('bob', 'webhook.like=s3cr')).toBe(0);
    expect(await hits('bob', 'exactsearch=s3cr3t')).toBe(0);
  });

  it('is whole for a holder of UPDATE, but not for a nonce of a lower level', async () => {
    const id = await service.actor('ana', { webhook: whole() });
    await share(id, 'bob', 'UPDATE');
    const webhook = async (as: Name | undefined, query = '') =>
      (await service.ask(as, 'GET', `/actors/v2/${id}${query}`)).result['webhook'];
    expect(await webhook('bob')).toBe(whole());
    const nonce = async (level: string) => {
      const { result } = await service.ask('ana', 'POST', `/actors/v2/${id}/nonces`, { json: { level, maxUses: -1 } });
      return `?x-nonce=${String(result['id'])}`;
    };
    expect(await webhook(undefined, await nonce('READ'))).toBe(new URL(receiver.url).origin);
    expect(await webhook(undefined, await nonce('UPDATE'))).toBe(whole());
  });
});
