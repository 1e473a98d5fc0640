// Fills the form of a new actor from a folder, as `actors create FOLDER` reads it.
import type { Answer } from '../../../api/routes.ts';
import type { Actor } from '../rows.ts';
import { type Draft, draftOf } from './draft.ts';

export type Listing = Answer<'GET /actors/v2/admin/folders'>;

/** Fields of an actor that the form shows. */
const SHOWN = [
  ...['image', 'name', 'description', 'default_environment', 'configEnvironment', 'memLimit', 'maxCpus'],
  ...['maxWorkers', 'maxRunTime', 'stateless', 'dialect'],
];

/** The fields that the folder mentions. @param typed the form before a folder was chosen, whose other fields stay */
export const draftOfFolder = (typed: Draft, fields: NonNullable<Listing['actor']>): Draft => {
  const all = { name: '', description: '', default_environment: {}, stateless: true, ...fields } as unknown as Actor;
  const filled = draftOf(all);
  const has = (...names: readonly string[]): boolean => names.some((name) => name in fields);
  return {
    ...typed,
    image: filled.image,
    ...(has('name') && { name: filled.name }),
    ...(has('description') && { description: filled.description }),
    ...(has('default_environment', 'configEnvironment') && { variables: filled.variables, configs: filled.configs }),
    ...(has('memLimit') && { memory: filled.memory }),
    ...(has('maxCpus') && { cpus: filled.cpus }),
    ...(has('maxWorkers') && { workers: filled.workers }),
    ...(has('maxRunTime') && { seconds: filled.seconds }),
    ...(has('stateless') && { isStateful: filled.isStateful }),
    ...(has('dialect') && { isLegacy: filled.isLegacy }),
    unseen: Object.fromEntries(Object.entries(fields).filter(([name]) => !SHOWN.includes(name))),
  };
};

/** The folder of a `file:` image. Undefined for another image. */
export const folderOf = (image: string): string | undefined => {
  try {
    return /^file:\/\/\//i.test(image) ? decodeURIComponent(new URL(image).pathname) : undefined;
  } catch {
    return undefined;
  }
};
