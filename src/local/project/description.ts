// Converts the actor fields of actorctl.json or of a project to a description with the field names of the service.
import { type Description, NANO_CPUS, withVariables } from './actor-values.ts';
import type { Project } from './project.ts';
import type { ProjectDocument } from './project-document.ts';

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
