// A set of resources of every kind that a guard protects, created anew for every request of the permission matrix that changes something.

import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import { nextSerial } from '../../../daemon/domain/records/next-serial.ts';
import type { NonceRecord } from '../../../daemon/domain/records/resource-records.ts';
import type { Level } from '../../../src/contract/operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import { actorRecord, executionRecord, messageRecord, stateRecord } from '../service/records.ts';

/** The levels of users on the actor, the alias and the config, which `ana` owns. */
export type Entries = Readonly<Record<string, Level>>;

export interface MatrixWorld {
  readonly actorId: string;
  /** Another actor with the same entries. */
  readonly otherId: string;
  readonly alias: string;
  readonly configName: string;
  /** A running execution. */
  readonly executionId: string;
  /** An execution that has ended, with its message still stored. */
  readonly endedId: string;
  readonly workerId: string;
  /** The number of an event of the actor, which has a webhook. */
  readonly eventNumber: string;
  /** A delivery of that event that has ended. */
  readonly deliveryId: string;
  /** The ids of the nonce of the actor and of the nonce of the alias. */
  readonly nonceId: string;
  readonly aliasNonceId: string;
  /** A user of the first tenant, and a client of `ana`. */
  readonly username: string;
  readonly clientName: string;
  /** A login of `ana`, and one of that user. */
  readonly loginId: string;
  readonly userLoginId: string;
  /** A name that is not in use. */
  readonly fresh: string;
  /** Creates a valid nonce of ana and returns its secret. */
  nonce(level: Level, target: { readonly actorId: string } | { readonly alias: string }): Promise<string>;
}

let count = 0;

/** Writes a separate set of resources into the store. */
export const putWorld = async (
  { store, dependencies: { ids, vault } }: ActorService,
  entries: Entries,
): Promise<MatrixWorld> => {
  count += 1;
  const [actorId, otherId, executionId, endedId, workerId] = [ids.id(), ids.id(), ids.id(), ids.id(), ids.id()];
  const [alias, configName, username, clientName] = [
    `alias-${count}`,
    `config-${count}`,
    `user-${count}`,
    `own-${count}`,
  ];
  const [deliveryId, loginId, userLoginId] = [ids.id(), ids.id(), ids.id()];
  const [nonceId, aliasNonceId] = [`DEV_${ids.id()}`, `DEV_${ids.id()}`];
  const permissions: ActorRecord['permissions'] = { ana: 'UPDATE', ...entries };
  const owned = { tenant: 'DEV', owner: 'ana', permissions, createdAt: 1, updatedAt: 1 } as const;
  const nonceOf = (
    id: string,
    hash: string,
    level: Level,
    target: { actorId: string } | { alias: string },
  ): NonceRecord => ({
    id,
    hash,
    tenant: 'DEV',
    owner: 'ana',
    roles: ['user'],
    level,
    ...target,
    maxUses: -1,
    currentUses: 0,
    description: '',
    createdAt: 1,
  });
  const webhook = 'http://127.0.0.1:9/nobody';
  const eventNumber = await store.transact((tx) => {
    for (const id of [actorId, otherId]) tx.put('actors', actorRecord(id, { stateless: false, permissions, webhook }));
    tx.put('aliases', { ...owned, alias, actorId });
    tx.put('configs', { ...owned, name: configName, value: '1', isSecret: false, actors: '', revision: 1 });
    tx.put('states', stateRecord(actorId, 1));
    tx.put('messages', messageRecord(ids.id(), { actorId }));
    tx.put(
      'executions',
      executionRecord(executionId, { actorId, status: 'RUNNING', workerId, runRef: 'run', startedAt: 2 }),
    );
    tx.put(
      'executions',
      executionRecord(endedId, {
        message: { contentType: 'str', text: 'hi', variables: {} },
        actorId,
        status: 'COMPLETE',
        startedAt: 2,
        finishedAt: 3,
        exitCode: 0,
      }),
    );
    tx.put('workers', {
      id: workerId,
      actorId,
      tenant: 'DEV',
      status: 'READY',
      image: 'words:1',
      revision: 1,
      createdAt: 1,
    });
    tx.put('nonces', nonceOf(nonceId, `hash of ${nonceId}`, 'READ', { actorId }));
    tx.put('nonces', nonceOf(aliasNonceId, `hash of ${aliasNonceId}`, 'READ', { alias }));
    tx.put('users', {
      tenant: 'DEV',
      username,
      roles: ['user'],
      passwordHash: '',
      uid: 1,
      profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
      createdAt: 1,
    });
    tx.put('clients', {
      id: `id of ${clientName}`,
      tenant: 'DEV',
      owner: 'ana',
      name: clientName,
      description: '',
      tier: '',
      secretHash: 'hash',
      redirectUris: ['https://app.example/callback'],
      grants: ['authorization_code'],
      createdAt: 1,
    });
    const grant = { kind: 'access', tenant: 'DEV', clientId: `id of ${clientName}`, scope: 'PRODUCTION' } as const;
    const granted = { ...grant, flow: 'authorization_code', issuedAt: 1 } as const;
    tx.put('tokens', { ...granted, hash: loginId, username: 'ana', grantId: loginId });
    tx.put('tokens', { ...granted, hash: userLoginId, username, grantId: userLoginId });
    const number = tx.nextSequence();
    const serial = nextSerial(tx, 'DEV', 'events');
    tx.put('events', { number, serial, tenant: 'DEV', actorId, owner: 'ana', type: 'ACTOR_READY', at: 1 });
    const delivery = {
      actorId,
      eventNumber: number,
      eventSerial: serial,
      url: webhook,
      status: 'FAILED',
      createdAt: 1,
    } as const;
    tx.put('deliveries', {
      ...delivery,
      id: deliveryId,
      sequence: tx.nextSequence(),
      serial: nextSerial(tx, 'DEV', 'deliveries'),
      tenant: 'DEV',
      owner: 'ana',
    });
    return String(serial);
  });
  return {
    actorId,
    otherId,
    alias,
    configName,
    executionId,
    endedId,
    workerId,
    eventNumber,
    deliveryId,
    nonceId,
    aliasNonceId,
    username,
    clientName,
    loginId,
    userLoginId,
    fresh: `fresh-${count}`,
    async nonce(level, target) {
      const id = `DEV_${ids.id()}`;
      const secret = `${id}secret`;
      await store.transact((tx) => tx.put('nonces', nonceOf(id, vault.digest(secret), level, target)));
      return secret;
    },
  };
};
