// Builds the record of an actor from a registration or an update, and checks the rules of both.
import type { Dialect } from '../../../src/contract/dialect.ts';
import type { InputOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { webhookFault } from '../events/webhook-url.ts';
import { Failure } from '../failure.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { changePlan } from '../schedule/cron-plan.ts';
import { nextActorStatus } from './actor-status.ts';
import { configEnvironmentFault } from './config-environment.ts';
import { imageFault } from './image-reference.ts';
import { type Before, codeBeyondRoles, fieldsBeyondRoles, isImageBeyondRoles, withKeptFields } from './permission.ts';
import { declarationFault } from './sender-variables.ts';
import { isReservedVariable } from './variable-name.ts';

export type Registration = InputOf<Operations['actors.create']>;
export type Update = InputOf<Operations['actors.update']>;

/** Fields that every update replaces. An omitted field returns to its default. */
type Replaced =
  | 'description'
  | 'image'
  | 'environment'
  | 'configEnvironment'
  | 'senderVariables'
  | 'hints'
  | 'type'
  | 'token'
  | 'showSecrets'
  | 'queue'
  | 'privileged'
  | 'useContainerUid'
  | 'maxWorkers'
  | 'memLimit'
  | 'maxCpus'
  | 'placement'
  | 'logEx'
  | 'maxRunTime'
  | 'link'
  | 'webhook';

type Fields = Omit<Registration, 'name' | 'stateless' | 'dialect'>;

const refuse = (field: string, why: string): never => {
  throw new Failure('VALIDATION', `${field} ${why}`, { field });
};

const forbid = (fields: readonly string[], why: string): void => {
  if (fields.length > 0) throw new Failure('FORBIDDEN', `${fields.join(', ')}: ${why}`, { fields });
};

/** @param before the actor before an update: a value that it has already needs no role */
const checkRoles = (
  input: Fields,
  after: Parameters<typeof codeBeyondRoles>[0],
  roles: readonly Role[],
  before: Before | undefined,
): void => {
  forbid(
    fieldsBeyondRoles(input, roles, before),
    'only users with the role privileged or admin may set this. Leave it out, or ask an admin for the role.',
  );
  forbid(
    input.image !== before?.image && isImageBeyondRoles(input.image, roles) ? ['image'] : [],
    'only users with the role admin may register a file:/// folder, because it runs on this machine without a container.',
  );
  forbid(
    before === undefined ? [] : codeBeyondRoles(after, before, roles),
    'the code of this actor controls the machine, so only users with the role to register it may change this. Leave it as it is, or ask an admin.',
  );
};

/** @param before the actor before an update; its sender variables need not be permitted any more */
const describe = (
  input: Fields,
  stateless: boolean,
  roles: readonly Role[],
  before?: Before & Pick<ActorRecord, 'senderVariables'>,
): Pick<ActorRecord, Replaced> => {
  const fault = imageFault(input.image);
  if (fault !== undefined) refuse('image', fault);
  const hints = input.hints ?? [];
  if (hints.some((hint) => /["'{}[\]]/.test(hint))) refuse('hints', `must not contain any of " ' { } [ ]`);
  const environment = input.default_environment ?? {};
  const reserved = Object.keys(environment).find(isReservedVariable);
  if (reserved !== undefined) refuse('default_environment', `must not set ${reserved}: the platform sets it`);
  const privileged = input.privileged ?? false;
  const configEnvironment = input.configEnvironment ?? {};
  const unusable = configEnvironmentFault(configEnvironment, { image: input.image, privileged, environment });
  if (unusable !== undefined) refuse('configEnvironment', unusable);
  const senderVariables = [...new Set(input.senderVariables)];
  const undeclarable = declarationFault(senderVariables.filter((entry) => !before?.senderVariables?.includes(entry)));
  if (undeclarable !== undefined) refuse('senderVariables', undeclarable);
  if (!stateless && input.maxWorkers !== undefined)
    refuse('maxWorkers', 'cannot be set: stateful actors can only have 1 worker');
  checkRoles(
    input,
    { image: input.image, privileged, default_environment: environment, configEnvironment, senderVariables },
    roles,
    before,
  );
  const { maxWorkers, memLimit, maxCpus, logEx, maxRunTime, link, webhook, placement = [] } = input;
  const wrong = webhook && webhookFault(webhook);
  if (wrong) refuse('webhook', wrong);
  return {
    description: input.description ?? '',
    image: input.image,
    environment,
    ...(Object.keys(configEnvironment).length > 0 && { configEnvironment }),
    ...(senderVariables.length > 0 && { senderVariables }),
    hints,
    type: input.type ?? 'none',
    token: input.token ?? false,
    ...(input.showSecrets && { showSecrets: true }),
    queue: input.queue ?? 'default',
    privileged,
    useContainerUid: input.useContainerUid ?? false,
    ...(maxWorkers !== undefined && { maxWorkers }),
    ...(memLimit !== undefined && { memLimit }),
    ...(maxCpus !== undefined && { maxCpus }),
    ...(placement.length > 0 && { placement }),
    ...(logEx !== undefined && { logEx }),
    ...(maxRunTime !== undefined && { maxRunTime }),
    ...(link && { link }),
    ...(webhook && { webhook }),
  };
};

/**
 * Sets the user recorded as having set the link: unchanged if the link is unchanged, otherwise the user of this
 * request.
 */
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
 * The new actor starts as SUBMITTED with revision 1, and only its owner holds a permission (UPDATE). If the request
 * names no dialect, the actor gets the dialect of the request's listener.
 * @see docs/http-api.md#actors
 */
export const registerActor = (
  input: Registration,
  by: {
    readonly tenant: string;
    readonly username: string;
    readonly roles: readonly Role[];
    readonly dialect?: Dialect;
  },
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
    ...((input.dialect ?? by.dialect) === 'legacy' && { dialect: 'legacy' }),
    status: 'SUBMITTED',
    statusMessage: '',
    revision: 1,
    permissions: { [by.username]: 'UPDATE' },
    startFailures: 0,
    createdAt: now,
    updatedAt: now,
  };
};

/** Version number: 1 at registration, plus 1 for each update. */
export const versionOf = ({ version }: Pick<ActorRecord, 'version'>): number => version ?? 1;

export interface Revised {
  readonly actor: ActorRecord;
  /** True for a new revision, and for an actor in ERROR, whose start is then tried again. */
  readonly restart: boolean;
}

/**
 * Replaces the description of an actor:
 * - An omitted field returns to its default, except a field that needs a role which the sender lacks: it stays
 *   unchanged.
 * - The owner, the permissions, the state, `stateless` and `dialect` stay unchanged, and so does an omitted name.
 * - Omitted parts of the schedule stay unchanged.
 * - A new image or `force` starts a new revision.
 * - Any update makes the daemon retry an actor in ERROR.
 * @see docs/http-api.md#actors
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
  const { dialect = 'modern' } = actor;
  if (input.dialect !== undefined && input.dialect !== dialect) {
    refuse('dialect', `is fixed at registration and stays ${dialect}; register a new actor to change it`);
  }
  const next = input.image !== actor.image || input.force === true;
  const restart = next || actor.status === 'ERROR';
  const revised = nextActorStatus(actor.status, 'revise');
  if (revised === null) {
    throw new Failure('ACTOR_BUSY', 'The actor cannot be updated: it is being deleted. Register a new one.');
  }
  const { id, tenant, owner, stateless, permissions, createdAt } = actor;
  const plan = changePlan(actor.cron, input, now);
  const { environment, configEnvironment = {}, senderVariables = [] } = actor;
  const before = { ...actor, default_environment: environment, configEnvironment, senderVariables };
  return {
    restart,
    actor: {
      id,
      tenant,
      owner,
      name: input.name ?? actor.name,
      ...describe(withKeptFields(input, before, by.roles), stateless, by.roles, before),
      ...linkSetter(actor, input.link, by.username),
      ...(plan && { cron: plan }),
      ...(actor.wantedWorkers !== undefined && { wantedWorkers: actor.wantedWorkers }),
      stateless,
      ...(actor.dialect !== undefined && { dialect: actor.dialect }),
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
