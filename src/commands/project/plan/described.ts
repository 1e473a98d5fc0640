// Merges the description of an actor in a file into that of the service.
import type { FieldWords } from '../../../client/field-words.ts';
import { type Description, withVariables } from '../../../local/project/actor-values.ts';
import { sameValue } from '../../../local/project/description.ts';
import type { ProjectDocument } from '../../../local/project/project-document.ts';
import { changeDescription, isDefault, variableFields } from '../../actors/actor-description.ts';

/** Removes the prefix `alias:` or `id:`, which the service does not accept. */
export const bareName = (name: string): string => name.replace(/^(?:alias|id):/, '');

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
