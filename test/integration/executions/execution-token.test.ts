// The token of a running execution: it has the permissions of its owner but no role, and can create nothing that
// outlives it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminToken, type Platform, startPlatform } from '../../support/service/platform.ts';

const TOKEN = 'token-of-a-running-execution';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
  await platform.store.transact((tx) => {
    tx.put('executions', {
      id: 'X000000000001',
      actorId: 'A000000000001',
      tenant: 'DEV',
      sequence: 1,
      executor: 'admin',
      status: 'RUNNING',
      receivedAt: 0,
    });
    tx.put('tokens', {
      hash: platform.vault.digest(TOKEN),
      kind: 'access',
      tenant: 'DEV',
      username: 'admin',
      clientId: '',
      scope: 'PRODUCTION',
      grantId: 'X000000000001',
      flow: 'execution',
      issuedAt: 0,
      executionId: 'X000000000001',
    });
  });
});
afterAll(() => platform.close());

const inside = { authorization: `Bearer ${TOKEN}` };

describe('the token of an execution of an admin', () => {
  it('R154 C23 identifies the owner, and is refused by every route that needs a role', async () => {
    expect((await platform.ask('GET', '/profiles/v2/me', { headers: inside })).result['username']).toBe('admin');
    const json = { username: 'backdoor', password: 'a long password', roles: ['admin'] };
    expect((await platform.ask('POST', '/users/v2', { headers: inside, json })).status).toBe(403);
    expect((await platform.ask('GET', '/users/v2', { headers: inside })).status).toBe(403);
    expect((await platform.ask('GET', '/users/v2', { headers: await adminToken(platform) })).text).not.toContain(
      'backdoor',
    );
  });

  it('R154 C23 cannot register a client, whose credentials would outlive the execution', async () => {
    const refused = await platform.ask('POST', '/clients/v2', { headers: inside, json: { clientName: 'backdoor' } });
    expect(refused.status).toBe(403);
    expect([...platform.store.all('clients')].map(({ name }) => name)).not.toContain('backdoor');
  });

  it('R154 is invalid as soon as its execution is not running', async () => {
    const execution = platform.store.get('executions', 'X000000000001');
    if (execution) await platform.store.transact((tx) => tx.put('executions', { ...execution, status: 'COMPLETE' }));
    expect((await platform.ask('GET', '/profiles/v2/me', { headers: inside })).status).toBe(401);
  });
});
