// Reads actorctl.json of a folder: its actor, how to build the image, and the actor's alias, configs and permissions.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseExact } from '../../contract/exact-json.ts';
import { jsonMember } from '../../contract/json-scanner.ts';
import { CliFailure, messageOf, systemCode, usage } from '../../failure.ts';
import { readFolderFile } from '../small-file.ts';
import { parseWrittenJson, withoutMark } from '../written-json.ts';
import { derivedImage } from './image-name.ts';
import { insideFolder, realOf } from './inside.ts';
import type { ProjectDocument } from './project-document.ts';
import { PROJECT_FILE, YAML_FILES } from './project-names.ts';

/** The sample message of a project, for test runs. */
export const SAMPLE = 'tests/sample.json';

export interface Project {
  /** Absolute path. */
  readonly folder: string;
  /** The same path without symbolic links. Built images have it as a label. */
  readonly source: string;
  readonly document: ProjectDocument;
  readonly name: string;
  readonly image: string;
  /** Absolute path of the file with variables. */
  readonly envFile?: string;
  /** Absolute path of the JSON schema of messages. */
  readonly schemaFile?: string;
  /** Absolute path of the sample message, which need not exist. */
  readonly sampleFile: string;
  /** How to build the image. Absent for an image that is a folder, or without a Dockerfile. */
  readonly build?: {
    /** Absolute path. */
    readonly context: string;
    /** Path relative to the context. */
    readonly dockerfile: string;
    readonly args: Readonly<Record<string, string>>;
    readonly platform?: string;
    readonly target?: string;
  };
}

/** Names the command that runs a folder as a process. */
const ACTOR_FILE = 'actor.json';

interface Whole {
  readonly actors?: Readonly<Record<string, unknown>>;
}

/** True for a project of several actors, which `actorctl apply` reads. */
const isWhole = (value: unknown): value is Whole =>
  typeof value === 'object' && value !== null && (Object.hasOwn(value, 'actors') || Object.hasOwn(value, 'project'));

const nameIn = ([key, entry]: readonly [string, unknown]): string => {
  const name: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'name') : undefined;
  return typeof name === 'string' ? name : key;
};

const read = async (folder: string): Promise<ProjectDocument> => {
  const file = path.join(folder, PROJECT_FILE);
  const text = readFolderFile(file)?.toString('utf8');
  if (text === undefined) return {};
  const value = parseWrittenJson(text, file);
  if (isWhole(value)) {
    const actors = Object.entries(value.actors ?? {});
    const [only] = actors;
    if (actors.length === 1 && only !== undefined) return { name: nameIn(only) };
    throw usage(
      `${file} is a project of ${actors.length} actors`,
      'to apply all actors: actorctl apply. For one actor: name it',
    );
  }
  const { projectDocument } = await import('./project-document.ts');
  const parsed = projectDocument.safeParse(value);
  if (parsed.success) {
    const state = jsonMember(withoutMark(text), 'state');
    return { ...parsed.data, ...(state !== undefined && { state: parseExact(state) as ProjectDocument['state'] }) };
  }
  // Only an error needs the places of the values.
  const { checkDocument } = await import('./project-check.ts');
  const { jsonPlaces } = await import('./json-places.ts');
  return checkDocument(projectDocument, jsonPlaces(file, text), value);
};

const firstLine = (file: string): string | undefined =>
  readFolderFile(file)?.toString('utf8').split('\n', 1)[0]?.trim() || undefined;

/**
 * The actor of a folder: the line in `.actorctl/actor`, else the alias or name in actorctl.json. Undefined without
 * either file.
 */
export const actorOfFolder = async (folder: string): Promise<string | undefined> => {
  const named = firstLine(path.join(folder, '.actorctl', 'actor'));
  if (named !== undefined) return named;
  if (!existsSync(path.join(folder, PROJECT_FILE))) return undefined;
  const { alias, name } = await read(folder);
  return alias ? `alias:${alias.replace(/^alias:/, '')}` : (name ?? path.basename(folder));
};

export interface ProjectOptions {
  readonly allowOutside: boolean;
  readonly project?: string | undefined;
  /** True to run the folder as a process, whatever its image is. */
  readonly process?: boolean;
}

/**
 * Reads the project of a folder: from actorctl.json, else from its Dockerfile, else from the actor.json of a `file:`
 * actor.
 */
export const readProject = async (folder: string, options: ProjectOptions): Promise<Project> => {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const why = systemCode(error) === 'ENOENT' ? 'there is no such folder' : messageOf(error);
    throw new CliFailure('USAGE', `cannot read ${folder}: ${why}`, { cause: error });
  }
  const { allowOutside, project, process } = options;
  return settle(await read(folder), {
    folder,
    label: PROJECT_FILE,
    names,
    allowOutside,
    project,
    ...(process && { process }),
  });
};

/** The location of a document with the fields of an actor. */
export interface Place extends ProjectOptions {
  /** Absolute path. Names of files in the document are relative to it. */
  readonly folder: string;
  readonly label: string;
  /** Names of the files in the folder. Absent if the folder does not belong to this actor alone. */
  readonly names?: readonly string[];
  /** The name of the actor, if the document has none (default: that of the folder). */
  readonly name?: string;
}

/** True if the folder has what a process of this machine needs. */
export const canBeProcess = ({ folder }: Pick<Project, 'folder'>): boolean => existsSync(path.join(folder, ACTOR_FILE));

/** Resolves the files, the image and the build of an actor. */
export const settle = async (
  said: ProjectDocument,
  { folder, label, names, name: usual = path.basename(folder), allowOutside, project, process = false }: Place,
): Promise<Project> => {
  const { build = {} } = said;
  const fence = { folder, allowOutside };
  const field = (name: string): string => `${label}: ${name}`;
  const context = await insideFolder(fence, build.context ?? '.', field('build.context'));
  const optional = async (name: string | undefined, what: string): Promise<string | undefined> =>
    name === undefined ? undefined : insideFolder(fence, name, what);
  const envFile = await optional(said.env_file, field('env_file'));
  const schemaFile = await optional(said.message_schema, field('message_schema'));
  const sampleFile = await insideFolder(fence, SAMPLE, 'the sample');
  const dockerfile = build.dockerfile ?? 'Dockerfile';
  const name = said.name ?? usual;
  const hasDockerfile = said.build !== undefined || names?.includes(dockerfile) === true;
  // `./wc` is the folder of a `file:` actor, as in `actors create ./wc`.
  const written = said.image?.replace(/^(?=\.{1,2}(?:\/|$))/, 'file:');
  const isWrittenFolder = written?.startsWith('file:') === true;
  if (process && !isWrittenFolder && !canBeProcess({ folder }))
    throw usage(
      `${folder} cannot run as a process: it has no ${ACTOR_FILE}`,
      `write one that names the command, like {"command": ["python3", "main.py"]}`,
    );
  const given = process && !isWrittenFolder ? 'file:.' : written;
  const isFolder =
    given?.startsWith('file:') === true ||
    (given === undefined && !hasDockerfile && names?.includes(ACTOR_FILE) === true);
  const source = await realOf(folder);
  const common = {
    folder,
    source,
    document: said,
    name,
    sampleFile,
    ...(envFile !== undefined && { envFile }),
    ...(schemaFile !== undefined && { schemaFile }),
  };
  if (isFolder) {
    // `file:.` means this folder, in whatever folder the command runs.
    if (given?.startsWith('file:///')) return { ...common, image: given };
    const inner = given?.slice('file:'.length) || '.';
    const root = inner === '.' ? folder : await insideFolder(fence, inner, field('image'));
    return { ...common, image: pathToFileURL(root).href };
  }
  const image = said.image ?? derivedImage(name, { folder: source, project });
  if (!hasDockerfile) {
    if (said.image !== undefined) return { ...common, image };
    if (names === undefined)
      throw usage(`${label}: the image is missing`, 'add the field "image", or "build" to build an image');
    const whole = names.find((each) => YAML_FILES.includes(each));
    throw usage(
      `${folder} is not an actor: it has no ${PROJECT_FILE}, no Dockerfile and no actor.json`,
      whole === undefined ? 'create one with: actorctl actors init' : `${whole} is a whole project: actorctl apply`,
    );
  }
  return {
    ...common,
    image,
    build: {
      context,
      dockerfile,
      args: build.args ?? {},
      ...(build.platform !== undefined && { platform: build.platform }),
      ...(build.target !== undefined && { target: build.target }),
    },
  };
};
