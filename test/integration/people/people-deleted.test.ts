// Requests of a user who is deleted while they are served: they create nothing that a later user of that name would own.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { aliases } from '../../../daemon/actors/aliases/service.ts';
import { configs } from '../../../daemon/actors/configs/service.ts';
import { nonceService } from '../../../daemon/actors/nonces/service.ts';
import { registry } from '../../../daemon/actors/registry/service.ts';
import { clientsService } from '../../../daemon/clients/service.ts';
import type { UserRecord } from '../../../daemon/domain/records/account-records.ts';
import type { CollectionName } from '../../../daemon/domain/records/collections.ts';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { nameKey } from '../../../daemon/domain/records/resource-records.ts';
import { type ActorService, people, startActorService } from '../../support/service/actor-service.ts';

const { ana } = people;
const key = joinKey(ana.tenant, ana.username);

let service: ActorService;
let user: UserRecord;
let actorId: string;
beforeAll(async () => {
  service = await startActorService();
  user = service.store.get('users', key) ?? expect.fail('no user');
  actorId = await service.actor('ana');
  await aliases(service.dependencies).create(ana, { alias: 'present', actorId });
  await service.store.transact((tx) => {
    const { pointedBy: _, ...earlier } = tx.get('aliases', nameKey('DEV', 'present')) ?? expect.fail('no alias');
    tx.put('aliases', earlier);
  });
});
afterEach(() => service.store.transact((tx) => tx.put('users', user)));
afterAll(() => service.close());

const attempts: readonly (readonly [CollectionName, () => Promise<unknown>])[] = [
  ['clients', () => clientsService(service.dependencies).create(ana, { clientName: 'late' })],
  ['actors', () => registry(service.dependencies).create(ana, { image: 'alpine', state: undefined }, 'modern')],
  ['aliases', () => aliases(service.dependencies).create(ana, { alias: 'late', actorId })],
  // A different user repeats its target.
  ['aliases', () => aliases(service.dependencies).point(ana, 'present', { actorId })],
  [
    'configs',
    () =>
      configs(service.dependencies).create(ana, {
        name: 'late',
        value: 1,
        valueText: '1',
        actors: '',
        is_secret: false,
      }),
  ],
  [
    'nonces',
    () => {
      const actor = service.store.get('actors', actorId) ?? expect.fail('no actor');
      return nonceService(service.dependencies).create(ana, { actor }, {}, 'modern');
    },
  ],
];

it.each(attempts)('R84 a user whose deletion is not on the disk yet creates none of the %s', async (kind, create) => {
  const before = service.store.count(kind);
  const deletion = service.store.transact((tx) => tx.delete('users', key));
  await expect(create()).rejects.toMatchObject({
    code: 'AUTH_FAILED',
    message: 'The user "ana" has been deleted. Nothing was created.',
  });
  await deletion;
  expect(service.store.count(kind)).toBe(before);
});
