// Which query parameters become variables of an execution, depending on who sends the message.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../../daemon/domain/records/actor-records.ts';
import { runningExecution } from '../../support/scenarios/resources.ts';
import { type Name, people } from '../../support/service/actor-service.ts';
import type { Answer, Call } from '../../support/service/call.ts';
import { type NonceFixture, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
let actorId: string;
beforeAll(async () => {
  fixture = await startNonceFixture();
  ({ service } = fixture);
});
afterAll(() => service.close());

const fields = {
  default_environment: { LEVEL: 'info', HOME: '/srv', CC: 'cc' },
  senderVariables: ['LEVEL', 'JOB_*', 'CDPATH'],
};
const QUERY = 'LEVEL=l&JOB_ID=j&CDPATH=c&HOME=h&MAKEFILES=m&JOB_=p&OTHER=o&CC=c';
const all = { LEVEL: 'l', JOB_ID: 'j', CDPATH: 'c', HOME: 'h', MAKEFILES: 'm', JOB_: 'p', OTHER: 'o', CC: 'c' };
const declared = { LEVEL: 'l', JOB_ID: 'j', CDPATH: 'c', JOB_: 'p' };
const undeclared = ['HOME', 'MAKEFILES', 'OTHER', 'CC'];

const make = async (more: Readonly<Record<string, unknown>> = {}, owner: Name = 'ana'): Promise<string> => {
  actorId = await service.actor(owner, { ...fields, ...more });
  return actorId;
};
const grant = (user: string, level: string, by: Name = 'ana') =>
  service.ask(by, 'POST', `/actors/v2/${actorId}/permissions`, { json: { user, level } });
const send = (as: Parameters<typeof service.ask>[0], asked: Call = {}, query = QUERY): Promise<Answer> =>
  service.ask(as, 'POST', `/actors/v2/${actorId}/messages?${query}`, { json: 1, ...asked });
/** Sends as bob after a permission was granted. */
const grantAndSend = async (user: string, level: string): Promise<Answer> => {
  await grant(user, level);
  return send('bob');
};
const stored = ({ result }: Answer): MessageRecord['variables'] | undefined =>
  service.store.get('messages', String(result['executionId']))?.variables;

const rerun = async (as: Name, sent: Answer): Promise<Answer> =>
  service.ask(as, 'POST', `/actors/v2/${actorId}/executions/${sent.result['executionId']}/rerun`);

/** Sends with the token of a running execution of the actor. */
const sendFromInside = async (owner: Name = 'ana'): Promise<Answer> =>
  send(undefined, { headers: (await runningExecution(service, actorId, owner)).headers });

describe('variables in the query of a message', () => {
  it.each([
    ['the owner', async () => send('ana')],
    ['a user with UPDATE', () => grantAndSend('bob', 'UPDATE')],
    ['an admin', async () => send('admin')],
    [
      'an execution with the token of the owner',
      async () => {
        await make({ token: true });
        return sendFromInside();
      },
    ],
  ])('are all set for %s', async (_, sends) => {
    await make();
    const answer = await sends();
    expect([stored(answer), answer.result['ignored_variables']]).toEqual([all, undefined]);
  });

  it.each([
    ['a user with EXECUTE', () => grantAndSend('bob', 'EXECUTE')],
    ['everybody with EXECUTE', () => grantAndSend('ABACO_WORLD', 'EXECUTE')],
    ['a nonce', async () => send(undefined, { headers: { 'x-nonce': (await fixture.make({}, actorId)).secret } })],
    [
      'a nonce of the level UPDATE',
      async () =>
        send(undefined, { headers: { 'x-nonce': (await fixture.make({ level: 'UPDATE' }, actorId)).secret } }),
    ],
    [
      'a nonce of an admin',
      async () => send(undefined, { headers: { 'x-nonce': (await fixture.make({}, actorId, 'admin')).secret } }),
    ],
    [
      'a nonce of an alias',
      async () => {
        const alias = await fixture.alias('short', actorId);
        const headers = { 'x-nonce': (await fixture.makeOn(alias)).secret };
        return service.ask(undefined, 'POST', `/actors/v2/${alias}/messages?${QUERY}`, { json: 1, headers });
      },
    ],
  ])('R137 are set for %s only if the owner declared them, and the response names the others', async (_, sends) => {
    await make();
    const answer = await sends();
    expect([stored(answer), answer.result['ignored_variables']]).toEqual([declared, undeclared]);
  });

  it('R137 are not set by a sender with EXECUTE on an actor without declarations, even one stored earlier', async () => {
    await make();
    await grant('bob', 'EXECUTE');
    await service.store.transact((tx) => {
      const { senderVariables: _, ...earlier } = tx.get('actors', actorId) ?? expect.fail('no actor');
      tx.put('actors', earlier);
    });
    expect(stored(await send('bob'))).toEqual({});
    expect((await service.ask('ana', 'GET', `/actors/v2/${actorId}`)).result['senderVariables']).toEqual([]);
  });

  it('that the platform sets, or whose names are no names, are refused for everybody', async () => {
    await make();
    await grant('bob', 'EXECUTE');
    for (const name of ['MSG', '_svc_access_token', 'a-b', 'PATH', 'LD_PRELOAD']) {
      for (const as of ['ana', 'bob'] as const) expect((await send(as, {}, `${name}=x`)).status).toBe(400);
    }
  });

  it('are named in a header of the response to a synchronous message', async () => {
    await make();
    await grant('bob', 'EXECUTE');
    const waiting = send('bob', {}, `${QUERY}&_svc_synchronous=true`);
    let execution: string | undefined;
    while (execution === undefined) {
      [{ id: execution } = { id: undefined }] = service.store.by('executions', 'actor', actorId);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}/messages`);
    expect(await waiting).toMatchObject({ status: 200, headers: { 'x-ignored-variables': undeclared.join(',') } });
  });

  it('are named again if the message is repeated under its key', async () => {
    await make();
    await grant('bob', 'EXECUTE');
    const headers = { 'idempotency-key': 'k1' };
    const [first, second] = [await send('bob', { headers }), await send('bob', { headers })];
    expect(second.result).toEqual(first.result);
    expect(second.result['ignored_variables']).toEqual(undeclared);
  });

  it('are limited to the declarations of the latest update, and an update without the field withdraws them', async () => {
    await make();
    await grant('bob', 'EXECUTE');
    const put = (json: object) => service.ask('ana', 'PUT', `/actors/v2/${actorId}`, { json });
    await put({ image: 'alpine', sender_variables: ['OTHER', 'OTHER'] });
    expect((await service.ask('ana', 'GET', `/actors/v2/${actorId}`)).result['senderVariables']).toEqual(['OTHER']);
    expect(stored(await send('bob'))).toEqual({ OTHER: 'o' });
    await put({ image: 'alpine' });
    expect(stored(await send('bob'))).toEqual({});
  });

  it('may be declared in a form', async () => {
    const form = new URLSearchParams([
      ['image', 'alpine'],
      ['senderVariables', 'A'],
      ['senderVariables', 'B_*'],
    ]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const made = await service.ask('ana', 'POST', '/actors/v2', { body: String(form), headers });
    expect(made.result['senderVariables']).toEqual(['A', 'B_*']);
  });
});

describe('variables for an actor whose code controls the machine', () => {
  const folder = { image: 'file:///srv/actor' };
  const privileged = { privileged: true };
  const from = (sender: Name) => async () => {
    await grant(people[sender].username, 'UPDATE', 'admin');
    return send(sender);
  };
  it.each([
    ['a folder', 'a user with UPDATE', folder, from('bob'), declared],
    ['a folder', 'a privileged user with UPDATE', folder, from('priv'), declared],
    ['a folder', 'an execution of its owner', { ...folder, token: true }, () => sendFromInside('admin'), declared],
    ['a folder', 'an admin', folder, async () => send('admin'), all],
    ['a privileged container', 'a user with UPDATE', privileged, from('bob'), declared],
    [
      'a privileged container',
      'an execution of its owner',
      { ...privileged, token: true },
      () => sendFromInside('admin'),
      declared,
    ],
    ['a privileged container', 'a privileged user with UPDATE', privileged, from('priv'), all],
    ['a privileged container', 'an admin', privileged, async () => send('admin'), all],
  ])(
    'R137 (actor: %s, sender: %s) are all set only if the sender has the role that an update of the actor needs',
    async (_, _sender, more, sends, expected) => {
      await make(more, 'admin');
      expect(stored(await sends())).toEqual(expected);
    },
  );

  it('R137 are limited to the declared ones in a rerun of a message sent while the actor was a container', async () => {
    await make();
    const sent = await send('ana');
    const json = { ...fields, ...folder };
    expect((await service.ask('admin', 'PUT', `/actors/v2/${actorId}`, { json })).status).toBe(200);
    for (const as of ['ana', 'admin'] as const) expect(stored(await rerun(as, sent))).toEqual(declared);
  });
});

describe('a rerun', () => {
  it('sets what the original sender may set now, even for another caller', async () => {
    await make();
    await grant('bob', 'EXECUTE');
    const [byOwner, byBob] = [await send('ana'), await send('bob')];
    expect(stored(await rerun('bob', byOwner))).toEqual(all);
    expect(stored(await rerun('ana', byBob))).toEqual(declared);
    await service.ask('ana', 'PUT', `/actors/v2/${actorId}`, { json: { image: 'alpine' } });
    for (const as of ['ana', 'bob'] as const) {
      const again = await rerun(as, byBob);
      expect([stored(again), again.result['ignored_variables']]).toEqual([{}, Object.keys(declared)]);
    }
  });

  it('of a message by nonce stays within the declarations', async () => {
    await make();
    const { secret } = await fixture.make({ level: 'UPDATE' }, actorId);
    const sent = await send(undefined, { headers: { 'x-nonce': secret } });
    await service.ask('ana', 'PUT', `/actors/v2/${actorId}`, { json: { image: 'alpine', senderVariables: ['LEVEL'] } });
    expect(stored(await rerun('ana', sent))).toEqual({ LEVEL: 'l' });
  });
});
