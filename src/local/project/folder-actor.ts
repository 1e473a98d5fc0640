// Reads the folder of a process actor as `actors create FOLDER` does, for the form of the dashboard.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliFailure } from '../../failure.ts';
import { requireFolderFile } from '../small-file.ts';
import type { Description } from './actor-values.ts';
import { descriptionIn } from './description.ts';
import { readEnvFile } from './env-file.ts';
import { readProject } from './project.ts';
import { PROJECT_FILE } from './project-names.ts';

/** Largest env file, in bytes. */
const ENV_FILE_LIMIT = 1024 * 1024;

/** Fields of the project file that are not part of the description of an actor, or only of a new one. */
const APART = ['alias', 'link', 'configs', 'permissions', 'state'] as const;

export interface FolderActor {
  /** Fields of a new actor, with the names of the service. */
  readonly description: Description;
  /** Fields of the project file that the description leaves out. */
  readonly apart: readonly string[];
}

const sentence = (text: string): string =>
  `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;

const textOf = ({ message, extras: { hint } }: CliFailure): string =>
  [sentence(message), ...(hint === undefined ? [] : [sentence(hint)])].join(' ');

const described = async (folder: string): Promise<FolderActor> => {
  const { document, name, envFile } = await readProject(folder, { allowOutside: false });
  const variables =
    envFile === undefined
      ? undefined
      : readEnvFile(requireFolderFile(envFile, ENV_FILE_LIMIT).toString('utf8'), envFile);
  const { stateless, dialect } = document;
  return {
    description: {
      ...descriptionIn({ document, image: pathToFileURL(folder).href }, variables),
      name,
      ...(stateless !== undefined && { stateless }),
      ...(dialect !== undefined && { dialect }),
    },
    apart: APART.filter((field) => document[field] !== undefined),
  };
};

/**
 * The actor of a folder, or why the folder cannot be used, as sentences. Undefined if nothing in it belongs to an actor.
 * @param folder absolute, without symbolic links
 */
export const folderActor = async (folder: string): Promise<FolderActor | { readonly problem: string } | undefined> => {
  const has = (name: string): boolean => existsSync(path.join(folder, name));
  const hasProject = has(PROJECT_FILE);
  if (!has('actor.json')) {
    if (has('Dockerfile'))
      return {
        problem: `This folder has a Dockerfile and no actor.json, so it cannot run as a process. A command builds it: actorctl actors deploy ${folder}`,
      };
    return hasProject
      ? { problem: 'This folder has no actor.json that names a command, so it cannot run as a process.' }
      : undefined;
  }
  if (!hasProject) return { description: { image: pathToFileURL(folder).href }, apart: [] };
  try {
    return await described(folder);
  } catch (error) {
    if (error instanceof CliFailure) return { problem: textOf(error) };
    throw error;
  }
};
