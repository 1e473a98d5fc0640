// Converts an actor record to its API representation.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { versionOf } from '../../domain/actors/actor-description.ts';
import { stateText } from '../../domain/actors/state.ts';
import { tokenReachOf } from '../../domain/executions/token-reach.ts';
import type { ActorRecord, CronPlan } from '../../domain/records/actor-records.ts';
import type { StateRecord } from '../../domain/records/resource-records.ts';
import { JsonText } from '../../http/response/json-text.ts';
import type { Addresses } from '../addresses.ts';

/** @see docs/http-api.md#actors */
export type ActorView = ResultOf<Operations['actors.show']>;

const whenSet = ({ maxWorkers, memLimit, maxCpus, placement, logEx, maxRunTime }: ActorRecord) => ({
  ...(maxWorkers !== undefined && { maxWorkers }),
  ...(memLimit !== undefined && { memLimit }),
  ...(maxCpus !== undefined && { maxCpus }),
  ...(placement !== undefined && { placement: [...placement] }),
  ...(logEx !== undefined && { logEx }),
  ...(maxRunTime !== undefined && { maxRunTime }),
});

/** Time format `Y-M-D H` in UTC without padding, as in the original service. */
const hourText = (at: number): string => {
  const time = new Date(at);
  return `${time.getUTCFullYear()}-${time.getUTCMonth() + 1}-${time.getUTCDate()} ${time.getUTCHours()}`;
};

/** @see docs/http-api.md#schedules */
const cronView = (plan: CronPlan | undefined) =>
  plan === undefined
    ? {}
    : {
        cronSchedule: plan.schedule,
        ...(plan.nextAt !== undefined && { cronNextEx: hourText(plan.nextAt), cronNextTime: toWireTime(plan.nextAt) }),
        ...(plan.timeZone !== undefined && { cronTimeZone: plan.timeZone }),
        ...(plan.message !== undefined && { cronMessage: plan.message }),
      };

/** Lists every field by name, so that a new field of the record is not published by accident. */
export const actorView = (actor: ActorRecord, versions: readonly StateRecord[], addresses: Addresses): ActorView => ({
  id: actor.id,
  name: actor.name,
  description: actor.description,
  image: actor.image,
  owner: actor.owner,
  status: actor.status,
  statusMessage: actor.statusMessage,
  stateless: actor.stateless,
  default_environment: { ...actor.environment },
  ...(actor.configEnvironment && { configEnvironment: actor.configEnvironment }),
  senderVariables: [...(actor.senderVariables ?? [])],
  hints: [...actor.hints],
  type: actor.type,
  link: actor.link ?? '',
  webhook: actor.webhook ?? '',
  queue: actor.queue,
  token: actor.token,
  tokenReach: tokenReachOf(actor),
  ...(actor.showSecrets && { showSecrets: true }),
  privileged: actor.privileged,
  useContainerUid: actor.useContainerUid,
  cronOn: actor.cron?.on ?? false,
  mounts: [],
  state: new JsonText(stateText(versions)),
  revision: actor.revision,
  version: versionOf(actor),
  ...(actor.dialect !== undefined && { dialect: actor.dialect }),
  ...whenSet(actor),
  ...cronView(actor.cron),
  createTime: toWireTime(actor.createdAt),
  lastUpdateTime: toWireTime(actor.updatedAt),
  _links: {
    self: addresses.actor(actor.id),
    owner: addresses.profile(actor.owner),
    executions: addresses.executions(actor.id),
  },
});
