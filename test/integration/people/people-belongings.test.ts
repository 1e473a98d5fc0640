// What happens to aliases, configs, nonces and permissions when a user is deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AliasRecord,
  type ConfigRecord,
  type NonceRecord,
  nameKey,
} from '../../../daemon/domain/records/resource-records.ts';
import { makePerson, ok, type TestPerson } from '../../support/service/people.ts';
import { adminToken, type Platform, startPlatform } from '../../support/service/platform.ts';
import { actorRecord } from '../../support/service/records.ts';

let platform: Platform;
let admin: { readonly authorization: string };
let person: TestPerson;
let heir: TestPerson;
let count = 0;
beforeAll(async () => {
  platform = await startPlatform();
  admin = await adminToken(platform);
});
afterAll(() => platform.close());
beforeEach(async () => {
  count += 1;
  person = await makePerson(platform, admin, { username: `user-${count}` });
  heir = await makePerson(platform, admin, { username: `heir-${count}` });
});

const remove = (query = '') => platform.ask('DELETE', `/users/v2/${person.username}${query}`, { headers: admin });

const own = () =>
  ({
    tenant: 'DEV',
    owner: person.username,
    permissions: { [person.username]: 'UPDATE' },
    createdAt: 1,
    updatedAt: 1,
  }) as const;

const alias = (changes: Partial<AliasRecord> = {}): AliasRecord => ({
  alias: `name-${count}`,
  actorId: `A${String(count).padStart(12, '0')}`,
  ...own(),
  ...changes,
});

const config = (changes: Partial<ConfigRecord> = {}): ConfigRecord => ({
  name: `config-${count}`,
  value: '1',
  isSecret: false,
  actors: '',
  revision: 1,
  ...own(),
  ...changes,
});

const nonce = (changes: Partial<NonceRecord> = {}): NonceRecord => ({
  id: `DEV_${count}`,
  hash: `hash-${count}`,
  tenant: 'DEV',
  owner: person.username,
  roles: ['user'],
  level: 'READ',
  alias: `name-${count}`,
  maxUses: -1,
  currentUses: 0,
  description: '',
  createdAt: 1,
  ...changes,
});

const aliasNow = () => platform.store.get('aliases', nameKey('DEV', `name-${count}`));
const configNow = () => platform.store.get('configs', nameKey('DEV', `config-${count}`));

describe('aliases and configs of a deleted user', () => {
  it('prevent the deletion, and the refusal counts them', async () => {
    await platform.store.transact((tx) => {
      tx.put('aliases', alias());
      tx.put('configs', config());
    });
    const refused = await remove();
    expect([refused.status, refused.headers['x-failure-code']]).toEqual([409, 'IN_USE']);
    expect(refused.json).toMatchObject({ message: expect.stringMatching(/owns 1 alias and 1 config\./) });
    expect([aliasNow()?.owner, configNow()?.owner]).toEqual([person.username, person.username]);
  });

  it('pass to the heir, who gets UPDATE, and the deleted user keeps no permission', async () => {
    await platform.store.transact((tx) => {
      tx.put('aliases', alias({ permissions: { [person.username]: 'UPDATE', ABACO_WORLD: 'READ' } }));
      tx.put('configs', config());
    });
    expect(ok(await remove(`?reassignTo=${heir.username}`)).result).toMatchObject({
      reassigned: 0,
      reassignedAliases: 1,
      reassignedConfigs: 1,
    });
    const permissions = { [heir.username]: 'UPDATE' };
    expect(aliasNow()).toMatchObject({ owner: heir.username, permissions: { ...permissions, ABACO_WORLD: 'READ' } });
    expect(aliasNow()?.permissions).not.toHaveProperty(person.username);
    expect(configNow()).toMatchObject({ owner: heir.username, permissions });
  });
});

describe('a list of actors that the deleted user set', () => {
  it('R122 counts as set by the owner of the config afterwards', async () => {
    const permissions = { [heir.username]: 'UPDATE' } as const;
    await platform.store.transact((tx) =>
      tx.put('configs', config({ owner: heir.username, permissions, listSetBy: person.username })),
    );
    ok(await remove());
    expect(configNow()).toMatchObject({ owner: heir.username, listSetBy: heir.username });
  });
});

describe('an alias that the deleted user pointed', () => {
  it('R122 counts as pointed by no user afterwards, not even by a later user of the same name', async () => {
    const pointed = { pointedBy: person.username };
    await platform.store.transact((tx) => tx.put('aliases', alias(pointed)));
    ok(await remove(`?reassignTo=${heir.username}`));
    expect(aliasNow()).toMatchObject({ owner: heir.username, actorId: alias().actorId });
    expect(aliasNow()).not.toHaveProperty('pointedBy');
  });
});

describe('a resource that was shared with the deleted user', () => {
  it('keeps no permission for that user name, which another user may get later', async () => {
    const permissions = { [heir.username]: 'UPDATE', [person.username]: 'EXECUTE' } as const;
    await platform.store.transact((tx) => {
      tx.put('aliases', alias({ owner: heir.username, permissions }));
      tx.put('configs', config({ owner: heir.username, permissions }));
    });
    ok(await remove());
    expect([aliasNow()?.permissions, configNow()?.permissions]).toEqual([
      { [heir.username]: 'UPDATE' },
      { [heir.username]: 'UPDATE' },
    ]);
  });

  it('gives UPDATE to its owner if the deleted user was the last holder of UPDATE', async () => {
    const id = `A${String(count).padStart(12, '0')}`;
    const permissions = { [heir.username]: 'NONE', [person.username]: 'UPDATE', nobody: 'UPDATE' } as const;
    await platform.store.transact((tx) => {
      tx.put('actors', actorRecord(id, { owner: heir.username, permissions }));
      tx.put('configs', config({ owner: heir.username, permissions }));
    });
    ok(await remove());
    const expected = { [heir.username]: 'UPDATE', nobody: 'UPDATE' };
    expect([platform.store.get('actors', id)?.permissions, configNow()?.permissions]).toEqual([expected, expected]);
  });
});

describe('a link that the deleted user set', () => {
  it.each([
    ['the heir, who takes over the actor', true],
    ['the owner of the actor, if another user owns it', false],
  ])('R122 counts as set by %s afterwards, and never by a later user of the same name', async (_, owns) => {
    const id = `A${String(count).padStart(12, '0')}`;
    const owner = owns ? person.username : heir.username;
    const link = { link: 'somewhere', linkSetBy: person.username };
    const permissions = { [owner]: 'UPDATE' } as const;
    await platform.store.transact((tx) => tx.put('actors', actorRecord(id, { owner, permissions, ...link })));
    ok(await remove(owns ? `?reassignTo=${heir.username}` : ''));
    const actor = platform.store.get('actors', id);
    expect(actor).toMatchObject({ owner: heir.username, link: 'somewhere', linkSetBy: heir.username });
  });
});

describe('nonces of a deleted user', () => {
  it('R84 are deleted even if an heir takes over, because a nonce acts as its owner', async () => {
    await platform.store.transact((tx) => {
      tx.put('aliases', alias());
      tx.put('nonces', nonce());
      tx.put('nonces', nonce({ id: `DEV_other-${count}`, hash: `other-${count}`, owner: heir.username }));
      tx.put('nonces', nonce({ id: `OTHER_${count}`, hash: `far-${count}`, tenant: 'OTHER' }));
    });
    expect(ok(await remove(`?reassignTo=${heir.username}`)).result).toMatchObject({ nonces: 1, reassignedAliases: 1 });
    const left = [`DEV_${count}`, `DEV_other-${count}`, `OTHER_${count}`].map((id) => platform.store.get('nonces', id));
    expect(left.map((record) => record?.owner)).toEqual([undefined, heir.username, person.username]);
  });
});
