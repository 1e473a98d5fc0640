// What an actor is said to be: the defaults of a registration, and the rules of replacing it.
import type { InputOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { webhookFault } from '../events/webhook-url.ts';
import { Failure } from '../failure.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { changePlan } from '../schedule/cron-plan.ts';
import { nextActorStatus } from './actor-status.ts';
import { imageFault, isFolderImage } from './image-reference.ts';
import { fieldsBeyondRoles } from './permission.ts';
import { isReservedVariable } from './variable-name.ts';

/** The body of a registration, parsed. */
export type Registration = InputOf<Operations['actors.create']>;
/** The body of an update, parsed. */
export type Update = InputOf<Operations['actors.update']>;

/** The fields that every update replaces as a whole. */
type Replaced =
  | 'description'
  | 'image'
  | 'environment'
  | 'hints'
  | 'type'
  | 'token'
  | 'queue'
  | 'privileged'
  | 'useContainerUid'
  | 'maxWorkers'
  | 'memLimit'
  | 'maxCpus'
  | 'logEx'
  | 'maxRunTime'
  | 'link'
  | 'webhook';

type Fields = Omit<Registration, 'name' | 'stateless'>;

const refuse = (field: string, why: string): never => {
  throw new Failure('VALIDATION', `${field} ${why}`, { field });
};

const checkRoles = (input: Fields, roles: readonly Role[]): void => {
  const beyond = fieldsBeyondRoles(input, roles);
  if (beyond.length > 0) {
    throw new Failure(
      'FORBIDDEN',
      `${beyond.join(', ')}: only users with the role privileged or admin may set this. Leave it out, or ask an admin for the role.`,
      { fields: beyond },
    );
  }
  if (isFolderImage(input.image) && !roles.includes('admin')) {
    throw new Failure(
      'FORBIDDEN',
      'image: only users with the role admin may register a file:/// folder, because it runs on this machine without a container.',
      { fields: ['image'] },
    );
  }
};

const describe = (input: Fields, stateless: boolean, roles: readonly Role[]): Pick<ActorRecord, Replaced> => {
  const fault = imageFault(input.image);
  if (fault !== undefined) refuse('image', fault);
  const hints = input.hints ?? [];
  if (hints.some((hint) => /["'{}[\]]/.test(hint))) refuse('hints', `must not contain any of " ' { } [ ]`);
  const environment = input.default_environment ?? {};
  const reserved = Object.keys(environment).find(isReservedVariable);
  if (reserved !== undefined) refuse('default_environment', `must not set ${reserved}: the platform sets it`);
  if (!stateless && input.maxWorkers !== undefined)
    refuse('maxWorkers', 'cannot be set: stateful actors can only have 1 worker');
  checkRoles(input, roles);
  const { maxWorkers, memLimit, maxCpus, logEx, maxRunTime, link, webhook } = input;
  const wrong = webhook && webhookFault(webhook);
  if (wrong) refuse('webhook', wrong);
  return {
    description: input.description ?? '',
    image: input.image,
    environment,
    hints,
    type: input.type ?? 'none',
    token: input.token ?? false,
    queue: input.queue ?? 'default',
    privileged: input.privileged ?? false,
    useContainerUid: input.useContainerUid ?? false,
    ...(maxWorkers !== undefined && { maxWorkers }),
    ...(memLimit !== undefined && { memLimit }),
    ...(maxCpus !== undefined && { maxCpus }),
    ...(logEx !== undefined && { logEx }),
    ...(maxRunTime !== undefined && { maxRunTime }),
    ...(link && { link }),
    ...(webhook && { webhook }),
  };
};

/** Whoever set the link answers for it; a link that is merely said again stays with who set it. */
const linkSetter = (
  actor: Pick<ActorRecord, 'link' | 'linkSetBy'> | undefined,
  link: string | undefined,
  username: string,
): Pick<ActorRecord, 'linkSetBy'> => {
  if (!link) return {};
  if (actor?.link !== link) return { linkSetBy: username };
  return actor.linkSetBy === undefined ? {} : { linkSetBy: actor.linkSetBy };
};

/**
 * A new actor as its registration describes it: SUBMITTED, first revision, its owner alone holds UPDATE.
 * @throws Failure VALIDATION naming the field, FORBIDDEN naming the fields that need a role
 * @see facts 1.1
 */
export const registerActor = (
  input: Registration,
  by: { readonly tenant: string; readonly username: string; readonly roles: readonly Role[] },
  id: string,
  now: number,
): ActorRecord => {
  const stateless = input.stateless ?? true;
  const plan = changePlan(undefined, input, now);
  return {
    id,
    tenant: by.tenant,
    owner: by.username,
    name: input.name ?? '',
    ...describe(input, stateless, by.roles),
    ...linkSetter(undefined, input.link, by.username),
    ...(plan && { cron: plan }),
    stateless,
    status: 'SUBMITTED',
    statusMessage: '',
    revision: 1,
    permissions: { [by.username]: 'UPDATE' },
    startFailures: 0,
    createdAt: now,
    updatedAt: now,
  };
};

/** The number of the description as it stands: 1 when it was registered. */
export const versionOf = ({ version }: Pick<ActorRecord, 'version'>): number => version ?? 1;

/** What an update makes of an actor, and whether the engine has something to do about it. */
export interface Revised {
  readonly actor: ActorRecord;
  /** A new revision, or an actor in ERROR that shall try again. */
  readonly restart: boolean;
}

/**
 * Replaces the description: an omitted field returns to its default; name, state, stateless, owner, permissions and what is
 * not said anew of the cron plan stay.
 * A new image or `force` makes a new revision; an actor in ERROR tries again after any update.
 * @throws Failure VALIDATION naming the field, FORBIDDEN naming the fields that need a role, ACTOR_BUSY while it is being deleted
 * @see wire.md "Actors", facts 1.1
 */
export const reviseActor = (
  actor: ActorRecord,
  input: Update,
  by: { readonly username: string; readonly roles: readonly Role[] },
  now: number,
): Revised => {
  if (input.stateless !== undefined && input.stateless !== actor.stateless) {
    refuse('stateless', `is fixed at registration and stays ${actor.stateless}; register a new actor to change it`);
  }
  const next = input.image !== actor.image || input.force === true;
  const restart = next || actor.status === 'ERROR';
  const revised = nextActorStatus(actor.status, 'revise');
  if (revised === null) {
    throw new Failure('ACTOR_BUSY', 'The actor cannot be updated: it is being deleted. Register a new one.');
  }
  const { id, tenant, owner, name, stateless, permissions, createdAt } = actor;
  const plan = changePlan(actor.cron, input, now);
  return {
    restart,
    actor: {
      id,
      tenant,
      owner,
      name,
      ...describe(input, stateless, by.roles),
      ...linkSetter(actor, input.link, by.username),
      ...(plan && { cron: plan }),
      ...(actor.wantedWorkers !== undefined && { wantedWorkers: actor.wantedWorkers }),
      stateless,
      status: restart ? revised : actor.status,
      statusMessage: restart ? '' : actor.statusMessage,
      revision: next ? actor.revision + 1 : actor.revision,
      version: versionOf(actor) + 1,
      permissions,
      startFailures: restart ? 0 : actor.startFailures,
      createdAt,
      updatedAt: now,
    },
  };
};
