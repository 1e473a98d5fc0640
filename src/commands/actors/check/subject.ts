// What `actors check` inspects: the folder of a project, an actor, or an image.
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../../../context.ts';
import { MESSAGE_LIMIT } from '../../../contract/for-client.ts';
import { CliFailure, systemCode, usage } from '../../../failure.ts';
import { type Project, type ProjectOptions, readProject } from '../../../local/project/project.ts';
import { readFolderFile } from '../../../local/small-file.ts';
import { messageOf, type OutgoingMessage } from '../../executions/message-input.ts';
import { resolveActor } from '../../framework/resolve-actor.ts';
import { claimImage } from '../../project/claim-image.ts';
import { imageHere } from '../../temporary/temporary-project.ts';
import { buildProject, folderOf, offerProcess } from '../build-image.ts';
import { envFileVariables } from '../deploy-plan.ts';
import { type Finding, schemaFindings, sourceFindings } from './check-rules.ts';

/** Largest source file that is inspected, in bytes. */
const SOURCE_LIMIT = 1024 * 1024;
const isSource = (name: string): boolean => /\.(?:py|m?[jt]s|sh|go|rb|pl|r)$/i.test(name);

export interface Subject {
  readonly image: string;
  /** True if the image comes from the folder of a project. */
  readonly isProject: boolean;
  /** True for an actor with a state. */
  readonly stateful: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly sample?: OutgoingMessage;
  readonly findings: readonly Finding[];
}

const sourcesOf = async (folder: string): Promise<readonly string[]> => {
  const sources: string[] = [];
  for (const name of (await readdir(folder)).filter(isSource)) {
    const file = path.join(folder, name);
    const found = await lstat(file);
    if (found.isFile() && found.size <= SOURCE_LIMIT) sources.push(readFolderFile(file)?.toString('utf8') ?? '');
  }
  return sources;
};

/** The variables without those from configs, which a trial does not have. */
const textsIn = (env: Project['document']['env'] = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

const usesSwarm = async ({ local }: CommandContext): Promise<boolean> => {
  const found = await (await local()).locate();
  return found.state === 'running' && found.status.launch?.engine === 'swarm';
};

export interface FolderOptions extends ProjectOptions {
  /** False to use the existing image. */
  readonly build: boolean;
  readonly takeOver: boolean;
  readonly sample: boolean;
}

/**
 * The image, variables and sample of a project's folder. Builds the image if the project has a build.
 * @throws CliFailure of the build
 */
export const projectSubject = async (
  context: CommandContext,
  project: Project,
  { build, sample: wanted, takeOver }: Omit<FolderOptions, 'allowOutside'>,
): Promise<Subject> => {
  const { document, sampleFile, schemaFile, folder } = project;
  const schema = document.message_schema;
  // An invalid sample message is refused before the build starts.
  const bytes = wanted ? readFolderFile(sampleFile, MESSAGE_LIMIT) : undefined;
  const sample = bytes && messageOf(bytes);
  const isBuilt = build && project.build !== undefined;
  const image = isBuilt ? imageHere(context, project.image) : project.image;
  if (isBuilt) {
    const other = 'check the existing image: --no-build';
    await claimImage(context, project, image, { takeOver, other }).catch(offerProcess(project));
    const usual = { cache: true, pull: false, target: undefined, platform: undefined, progress: undefined };
    await buildProject(context, project, { ...usual, buildArg: [] }, image).catch(offerProcess(project));
  }
  return {
    image,
    isProject: project.build !== undefined,
    stateful: document.stateless === false,
    environment: { ...envFileVariables(project), ...textsIn(document.env) },
    ...(sample !== undefined && { sample }),
    findings: [
      ...(schema === undefined || schemaFile === undefined
        ? []
        : schemaFindings(schema, readFolderFile(schemaFile)?.toString('utf8'))),
      ...sourceFindings(await sourcesOf(folder), Object.keys(textsIn(document.env)), await usesSwarm(context)),
    ],
  };
};

const isFolder = async (name: string): Promise<boolean> => {
  try {
    return (await stat(name)).isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return false;
    throw error;
  }
};

/** Resolves the target: a folder, else an actor, else an image. */
export const subjectOf = async (
  context: CommandContext,
  target: string | undefined,
  options: FolderOptions,
): Promise<Subject> => {
  const folder = folderOf(context, target);
  if (target === undefined || (await isFolder(folder)))
    return projectSubject(context, await readProject(folder, options), options);
  if (options.process) throw usage('--process needs the folder of an actor', `there is no folder ${folder}`);
  try {
    const { image, default_environment, stateless } = await resolveActor(context, target);
    return { image, isProject: false, stateful: !stateless, environment: default_environment, findings: [] };
  } catch (error) {
    // Without a login, or without such an actor, the target may be an image.
    if (!(error instanceof CliFailure) || !['NOT_FOUND', 'AUTH_REQUIRED'].includes(error.code)) throw error;
    return { image: target, isProject: false, stateful: false, environment: {}, findings: [] };
  }
};
