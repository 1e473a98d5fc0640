// Nonces that were created in the legacy dialect: their secrets are stored sealed, and shown to their owners.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nonceSecrets } from '../../../daemon/actors/nonces/secrets.ts';
import { nonceService } from '../../../daemon/actors/nonces/service.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import { people } from '../../support/service/actor-service.ts';
import { type NonceFixture, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
beforeAll(async () => {
  fixture = await startNonceFixture();
  ({ service } = fixture);
});
afterAll(() => service.close());

const ana: Caller = people.ana;

const make = async (dialect: 'modern' | 'legacy') => {
  const actor = service.store.get('actors', fixture.actorId) ?? expect.fail('no actor');
  const { nonce, secret } = await nonceService(service.dependencies).create(ana, { actor }, {}, dialect);
  return { id: nonce.id, secret };
};
const shown = (caller: Caller, id: string) => nonceSecrets(service.dependencies)(caller, id);

describe('the secret of a nonce', () => {
  it('R126 that was created in the legacy dialect is stored sealed', async () => {
    const { id, secret } = await make('legacy');
    expect(JSON.stringify(service.store.get('nonces', id))).not.toContain(secret);
    expect(shown(ana, id)).toBe(secret);
    expect((await fixture.send(secret)).status).toBe(200);
  });

  it('R126 that was created in the modern dialect is not stored', async () => {
    const { id } = await make('modern');
    expect(service.store.get('nonces', id)).not.toHaveProperty('sealed');
    expect([shown(ana, id), shown(ana, 'DEV_unknown')]).toEqual([undefined, undefined]);
  });

  it('R126 is in no response of the main listener', async () => {
    const { secret } = await make('legacy');
    const path = `/actors/v2/${fixture.actorId}/nonces`;
    for (const each of [path, `${path}/${secret}`]) {
      const { status, text } = await service.ask('ana', 'GET', each);
      expect([status, text.includes(secret), text.includes('sealed')]).toEqual([200, false, false]);
    }
  });

  const others: readonly (readonly [string, Caller])[] = [
    ['another user', people.bob],
    ['an admin', people.admin],
    ['a user of the same name in another tenant', people.otherAna],
    ['a nonce of its owner', { ...ana, nonceId: 'DEV_another' }],
    ['an execution of its owner', { ...ana, executionId: 'E1' }],
  ];
  it.each(others)('R126 is not shown to %s', async (_name, caller) => {
    expect(shown(caller, (await make('legacy')).id)).toBeUndefined();
  });

  it('is not shown if it cannot be opened', async () => {
    const { id, secret } = await make('legacy');
    await service.store.transact((tx) => {
      const nonce = tx.get('nonces', id) ?? expect.fail('no nonce');
      tx.put('nonces', { ...nonce, sealed: 'sealed:v1:0123456789abcdef:AAAA' });
    });
    expect(shown(ana, id)).toBeUndefined();
    expect((await fixture.send(secret)).status).toBe(200);
  });
});
