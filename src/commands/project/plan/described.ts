// Converts the actor fields of actorctl.json or of a project to a description with the field names of the service.
import type { FieldWords } from '../../../client/field-words.ts';
import type { Project } from '../../../local/project/project.ts';
import type { ProjectDocument } from '../../../local/project/project-document.ts';
import { changeDescription, isDefault, variableFields } from '../../actors/actor-description.ts';
import { NANO_CPUS } from '../../actors/actor-flags.ts';
import { type Description, withVariables } from '../../actors/actor-variables.ts';

/** Removes the prefix `alias:` or `id:`, which the service does not accept. */
export const bareName = (name: string): string => name.replace(/^(?:alias|id):/, '');

/** File fields whose value is sent unchanged, with the field names of the service. */
export const sameValue = {
  description: 'description',
  type: 'type',
  hints: 'hints',
  token: 'token',
  show_secrets: 'showSecrets',
  memory: 'memLimit',
  placement: 'placement',
  workers: 'maxWorkers',
  time_limit: 'maxRunTime',
  log_expiry: 'logEx',
  privileged: 'privileged',
  use_container_uid: 'useContainerUid',
  queue: 'queue',
  sender_variables: 'senderVariables',
  webhook: 'webhook',
} as const satisfies Partial<Record<keyof ProjectDocument, string>>;

/** The names of the file for the fields of the service, for failures of the service. */
export const fileWords: FieldWords = {
  ...Object.fromEntries(Object.entries(sameValue).map(([name, field]) => [field, name])),
  default_environment: 'env',
  configEnvironment: 'env',
  maxCpus: 'cpus',
  cronSchedule: 'cron',
  cronTimeZone: 'cron.time_zone',
  cronMessage: 'cron.message',
};

/** The configs that the actor receives: those that are listed, and those that its variables read. */
export const configsIn = ({ configs = [], env = {} }: ProjectDocument): readonly string[] => [
  ...new Set([...configs, ...Object.values(env).flatMap((each) => (typeof each === 'string' ? [] : [each.config]))]),
];

const scheduleIn = (cron: ProjectDocument['cron']): Description => {
  if (cron === undefined) return {};
  if (typeof cron === 'string') return { cronSchedule: cron };
  return {
    cronSchedule: cron.schedule,
    ...(cron.time_zone !== undefined && { cronTimeZone: cron.time_zone }),
    ...(cron.message !== undefined && { cronMessage: cron.message }),
    ...(cron.on !== undefined && { cronOn: cron.on }),
  };
};

/** The fields that a file mentions, except the link. */
export const descriptionIn = (
  { document, image }: Pick<Project, 'document' | 'image'>,
  variables?: Readonly<Record<string, string>>,
): Description => {
  const same = Object.entries(sameValue).flatMap(([field, wire]) => {
    const value = document[field as keyof typeof sameValue];
    // The service stores a duplicate name only once.
    const kept = field === 'sender_variables' && Array.isArray(value) ? [...new Set(value)] : value;
    return value === undefined ? [] : [[wire, kept]];
  });
  // A file that mentions variables defines all of them, both texts and references to configs.
  const environment = (document.env ?? variables) !== undefined && {
    ...{ default_environment: {}, configEnvironment: {} },
    ...withVariables({}, { ...variables, ...document.env }),
  };
  return {
    image,
    ...Object.fromEntries(same),
    ...environment,
    ...(document.cpus !== undefined && { maxCpus: Math.round(document.cpus * NANO_CPUS) }),
    ...scheduleIn(document.cron),
  };
};

/**
 * Merges a file into a description. Fields that the file does not mention stay. A field with the value
 * that the service assumes for a missing field is left out.
 * @param dropped additional fields that return to their default
 */
export const replaceDescribed = (
  before: Description,
  wanted: Description,
  dropped: readonly string[] = [],
): Description => {
  // The file defines the whole environment, so variables that it does not name are removed.
  const base = 'default_environment' in wanted ? withVariables(before, {}) : before;
  const filled = Object.fromEntries(Object.entries(wanted).filter(([, value]) => !isDefault(value)));
  const defaults = Object.keys(wanted).filter((field) => isDefault(wanted[field]) && !variableFields.includes(field));
  const unset = [...defaults, ...dropped]
    .filter((field) => field in before && field !== 'cronOn')
    .map((field) => (variableFields.includes(field) ? 'env' : field));
  const after = changeDescription(base, filled, unset);
  // The service enables a new schedule, and leaves it enabled or disabled if a request does not mention that.
  const switchedOff = wanted['cronOn'] === false && 'cronSchedule' in filled;
  const isOff = before['cronSchedule'] === filled['cronSchedule'] && before['cronOn'] !== true;
  if (switchedOff && !isOff) return { ...after, cronOn: false };
  // If the file no longer mentions whether the schedule is enabled, it is enabled again.
  return dropped.includes('cronOn') && 'cronSchedule' in filled ? { ...after, cronOn: true } : after;
};
