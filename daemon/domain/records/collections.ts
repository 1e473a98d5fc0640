// The collections of the store, with the record type, key and indexes of each.

import { runtimeMs, type TotalsRecord, totalsKey } from '../executions/execution-totals.ts';
import {
  type ApprovalRecord,
  approvalKey,
  type ClientRecord,
  type CodeRecord,
  type MetaRecord,
  type SessionRecord,
  type TenantRecord,
  type TokenRecord,
  type UserRecord,
} from './account-records.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord, WorkerRecord } from './actor-records.ts';
import { type DeliveryRecord, type EventRecord, eventKey, eventSerialKey } from './event-records.ts';
import { joinKey } from './record-key.ts';
import {
  type AliasRecord,
  type ConfigRecord,
  type NonceRecord,
  nameKey,
  type StateRecord,
  stateKey,
} from './resource-records.ts';
import { type ResultRecord, resultKey } from './result-records.ts';
import type { SerialsRecord } from './serials.ts';

export interface Collections {
  meta: MetaRecord;
  tenants: TenantRecord;
  users: UserRecord;
  clients: ClientRecord;
  tokens: TokenRecord;
  codes: CodeRecord;
  approvals: ApprovalRecord;
  sessions: SessionRecord;
  actors: ActorRecord;
  messages: MessageRecord;
  executions: ExecutionRecord;
  workers: WorkerRecord;
  aliases: AliasRecord;
  nonces: NonceRecord;
  configs: ConfigRecord;
  events: EventRecord;
  deliveries: DeliveryRecord;
  states: StateRecord;
  results: ResultRecord;
  totals: TotalsRecord;
  serials: SerialsRecord;
}

export type CollectionName = keyof Collections;

interface CollectionRule<R> {
  readonly key: (record: R) => string;
  /** Secondary indexes: index name → index value of a record, or undefined when the index omits the record. */
  readonly indexes: Readonly<Record<string, (record: R) => string | undefined>>;
  /**
   * Indexes in which each value belongs to one record. Callers must not be able to choose the values, because they
   * could choose many with the same hash.
   */
  readonly unique: readonly string[];
  /** Numeric fields whose sums the store maintains for every value of one index. The fields are whole numbers. */
  readonly sums?: Sums<R>;
}

interface Sums<R, F extends Readonly<Record<string, (record: R) => number>> = Record<string, (record: R) => number>> {
  readonly by: string;
  readonly figures: F;
}

const rule = <R, I extends Record<string, (record: R) => string | undefined>>(
  key: (record: R) => string,
  indexes: I,
  unique: readonly (keyof I & string)[] = [],
): { readonly key: (record: R) => string; readonly indexes: I; readonly unique: readonly string[] } => ({
  key,
  indexes,
  unique,
});

const isPending = ({ status }: DeliveryRecord): boolean => status === 'WAITING' || status === 'SENDING';

export const collections = {
  meta: rule((r: MetaRecord) => r.key, {}),
  tenants: rule((r: TenantRecord) => r.id, {}),
  users: rule((r: UserRecord) => joinKey(r.tenant, r.username), { tenant: (r: UserRecord) => r.tenant }),
  clients: rule((r: ClientRecord) => r.id, {
    owner: (r: ClientRecord) => joinKey(r.tenant, r.owner),
    name: (r: ClientRecord) => joinKey(r.tenant, r.owner, r.name),
  }),
  tokens: rule((r: TokenRecord) => r.hash, {
    grant: (r: TokenRecord) => r.grantId,
    client: (r: TokenRecord) => r.clientId,
    user: (r: TokenRecord) => joinKey(r.tenant, r.username),
    execution: (r: TokenRecord) => r.executionId,
  }),
  codes: rule((r: CodeRecord) => r.hash, {
    client: (r: CodeRecord) => r.clientId,
    user: (r: CodeRecord) => joinKey(r.tenant, r.username),
  }),
  approvals: rule((r: ApprovalRecord) => approvalKey(r), {
    client: (r: ApprovalRecord) => r.clientId,
    user: (r: ApprovalRecord) => joinKey(r.tenant, r.username),
  }),
  sessions: rule((r: SessionRecord) => r.hash, { user: (r: SessionRecord) => joinKey(r.tenant, r.username) }),
  actors: rule((r: ActorRecord) => r.id, {
    tenant: (r: ActorRecord) => r.tenant,
    owner: (r: ActorRecord) => joinKey(r.tenant, r.owner),
    /** Contains only actors whose schedule is on, for the cron ticker. */
    cron: (r: ActorRecord) => (r.cron?.on === true ? 'on' : undefined),
  }),
  messages: {
    ...rule((r: MessageRecord) => r.executionId, { actor: (r: MessageRecord) => r.actorId }),
    sums: { by: 'actor', figures: { bytes: (r: MessageRecord) => r.size } },
  },
  executions: {
    ...rule((r: ExecutionRecord) => r.id, {
      actor: (r: ExecutionRecord) => r.actorId,
      /** Searches for a status look executions up actor by actor, because the caller may not read all actors. */
      actorStatus: (r: ExecutionRecord) => actorStatusKey(r.actorId, r.status),
      /** Contains only running executions, for recovery and for an orderly stop. */
      running: (r: ExecutionRecord) => (r.status === 'RUNNING' ? 'yes' : undefined),
      idempotency: (r: ExecutionRecord) => r.idempotency?.key,
      /** Executions that another execution caused: by its event, or with its token. */
      eventOf: (r: ExecutionRecord) => r.cause?.eventOf ?? r.cause?.deliveryId,
      sentBy: (r: ExecutionRecord) => r.cause?.executionId,
    }),
    /** The run time of a running execution still grows, so the sum does not include it. */
    sums: {
      by: 'actor',
      figures: {
        runtimeMs: (r: ExecutionRecord) => (r.finishedAt === undefined ? 0 : runtimeMs(r, r.finishedAt)),
        cpuNs: (r: ExecutionRecord) => r.cpuNs ?? 0,
        ioBytes: (r: ExecutionRecord) => r.ioBytes ?? 0,
      },
    },
  },
  workers: rule((r: WorkerRecord) => r.id, { actor: (r: WorkerRecord) => r.actorId }),
  aliases: rule((r: AliasRecord) => nameKey(r.tenant, r.alias), {
    tenant: (r: AliasRecord) => r.tenant,
    actor: (r: AliasRecord) => r.actorId,
    owner: (r: AliasRecord) => joinKey(r.tenant, r.owner),
  }),
  nonces: rule((r: NonceRecord) => r.id, {
    hash: (r: NonceRecord) => r.hash,
    actor: (r: NonceRecord) => r.actorId,
    alias: (r: NonceRecord) => (r.alias === undefined ? undefined : nameKey(r.tenant, r.alias)),
    owner: (r: NonceRecord) => joinKey(r.tenant, r.owner),
  }),
  events: rule(
    (r: EventRecord) => eventKey(r.number),
    {
      tenant: (r: EventRecord) => r.tenant,
      actor: (r: EventRecord) => r.actorId,
      serial: (r: EventRecord) => eventSerialKey(r.tenant, r.serial),
    },
    ['serial'],
  ),
  deliveries: rule((r: DeliveryRecord) => r.id, {
    tenant: (r: DeliveryRecord) => r.tenant,
    actor: (r: DeliveryRecord) => r.actorId,
    event: (r: DeliveryRecord) => eventKey(r.eventNumber),
    eventOf: (r: DeliveryRecord) => r.eventOf,
    /** Deliveries that are not sent yet, by actor. */
    waiting: (r: DeliveryRecord) => (r.status === 'WAITING' ? r.actorId : undefined),
    sending: (r: DeliveryRecord) => (r.status === 'SENDING' ? 'yes' : undefined),
    /** Deliveries that are not finished yet, by event and by tenant, for retention. */
    pendingOfEvent: (r: DeliveryRecord) => (isPending(r) ? eventKey(r.eventNumber) : undefined),
    pendingOfTenant: (r: DeliveryRecord) => (isPending(r) ? r.tenant : undefined),
  }),
  configs: rule((r: ConfigRecord) => nameKey(r.tenant, r.name), {
    tenant: (r: ConfigRecord) => r.tenant,
    owner: (r: ConfigRecord) => joinKey(r.tenant, r.owner),
  }),
  /** Versions are stored in order, so an actor's last version is its current state. */
  states: rule((r: StateRecord) => stateKey(r.actorId, r.version), { actor: (r: StateRecord) => r.actorId }),
  /** Results in order of arrival. */
  results: rule((r: ResultRecord) => resultKey(r), {
    execution: (r: ResultRecord) => r.executionId,
    actor: (r: ResultRecord) => r.actorId,
  }),
  totals: rule(totalsKey, {}),
  serials: rule((r: SerialsRecord) => r.tenant, {}),
} as const satisfies { [N in CollectionName]: CollectionRule<Collections[N]> };

export const actorStatusKey = (actorId: string, status: string): string => joinKey(actorId, status);

export type FigureName<N extends CollectionName> = (typeof collections)[N] extends {
  readonly sums: { readonly figures: infer F };
}
  ? keyof F & string
  : never;

export type IndexName<N extends CollectionName> = keyof (typeof collections)[N]['indexes'] & string;

/** Collections that archives leave out, because they belong to the running service and not to its data. */
export const transient: ReadonlySet<CollectionName> = new Set<CollectionName>(['sessions']);

/** Collections that grow with use. Only their latest records stay in memory as objects; older records are on disk. */
export const growing: ReadonlySet<CollectionName> = new Set<CollectionName>(['executions', 'events', 'deliveries']);
