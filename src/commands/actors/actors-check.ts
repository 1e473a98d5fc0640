// `actors check`: inspects a folder, an image or an actor, runs it once and reports problems.
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { MESSAGE_LIMIT } from '../../contract/for-client.ts';
import { CliFailure, systemCode, usage } from '../../failure.ts';
import { type ProjectOptions, readProject, SAMPLE } from '../../local/project/project.ts';
import { readFolderFile } from '../../local/small-file.ts';
import { messageOf, type OutgoingMessage } from '../executions/message-input.ts';
import { limitFrom, type TimeLimit } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';
import { duration, flag, optional, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { withTimeout } from '../framework/time-limit.ts';
import { claimImage, takeOverOption } from '../project/claim-image.ts';
import { imageHere } from '../temporary/temporary-project.ts';
import { outsideOption } from './actor-flags.ts';
import { buildProject, folderOf } from './build-image.ts';
import {
  engineFindings,
  type Finding,
  imageFindings,
  schemaFindings,
  sourceFindings,
  trialFindings,
} from './check-rules.ts';
import { envFileVariables } from './deploy-plan.ts';

const TRIAL_MS = 30_000;
/** Largest source file that is inspected, in bytes. */
const SOURCE_LIMIT = 1024 * 1024;
const isSource = (name: string): boolean => /\.(?:py|m?[jt]s|sh|go|rb|pl|r)$/i.test(name);

interface Subject {
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

const usesSwarm = async ({ local }: CommandContext): Promise<boolean> => {
  const found = await (await local()).locate();
  return found.state === 'running' && found.status.launch?.engine === 'swarm';
};

interface FolderOptions extends ProjectOptions {
  /** False to use the existing image. */
  readonly build: boolean;
  readonly takeOver: boolean;
  readonly sample: boolean;
}

const folderSubject = async (
  context: CommandContext,
  folder: string,
  { build, sample: wanted, takeOver, ...options }: FolderOptions,
): Promise<Subject> => {
  const project = await readProject(folder, options);
  const { document, sampleFile, schemaFile } = project;
  const schema = document.message_schema;
  // An invalid sample message is refused before the build starts.
  const bytes = wanted ? readFolderFile(sampleFile, MESSAGE_LIMIT) : undefined;
  const sample = bytes && messageOf(bytes);
  const isBuilt = build && project.build !== undefined;
  const image = isBuilt ? imageHere(context, project.image) : project.image;
  if (isBuilt) {
    const other = 'check the existing image: --no-build';
    await claimImage(context, project, image, { takeOver, other });
    const usual = { cache: true, pull: false, target: undefined, platform: undefined, progress: undefined };
    await buildProject(context, project, { ...usual, buildArg: [] }, image);
  }
  return {
    image,
    isProject: project.build !== undefined,
    stateful: document.stateless === false,
    environment: { ...envFileVariables(project), ...document.env },
    ...(sample !== undefined && { sample }),
    findings: [
      ...(schema === undefined || schemaFile === undefined
        ? []
        : schemaFindings(schema, readFolderFile(schemaFile)?.toString('utf8'))),
      ...sourceFindings(await sourcesOf(folder), Object.keys(document.env ?? {}), await usesSwarm(context)),
    ],
  };
};

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

const isFolder = async (name: string): Promise<boolean> => {
  try {
    return (await stat(name)).isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return false;
    throw error;
  }
};

/** Resolves the target: a folder, else an actor, else an image. */
const subjectOf = async (
  context: CommandContext,
  target: string | undefined,
  options: FolderOptions,
): Promise<Subject> => {
  const folder = folderOf(context, target);
  if (target === undefined || (await isFolder(folder))) return folderSubject(context, folder, options);
  try {
    const { image, default_environment, stateless } = await resolveActor(context, target);
    return { image, isProject: false, stateful: !stateless, environment: default_environment, findings: [] };
  } catch (error) {
    // Without a login, or without such an actor, the target may be an image.
    if (!(error instanceof CliFailure) || !['NOT_FOUND', 'AUTH_REQUIRED'].includes(error.code)) throw error;
    return { image: target, isProject: false, stateful: false, environment: {}, findings: [] };
  }
};

/** The value of the variable `_svc_Content_Type` in the test run. */
const contentTypes = { text: 'str', json: 'application/json', binary: 'application/octet-stream' } as const;

const attempt = async (
  context: CommandContext,
  { image, environment, stateful }: Subject,
  message: OutgoingMessage,
  {
    limit = limitFrom(context, TRIAL_MS),
    known,
  }: { readonly limit: TimeLimit | undefined; readonly known: readonly string[] },
): Promise<readonly Finding[]> => {
  const contentType = contentTypes[message.type];
  try {
    const timeoutMs = Math.max(1, limit.until - context.now());
    const report = await context.manage(
      'images.try',
      { image, environment, contentType, stateful, timeoutMs },
      { bytes: [message.bytes] },
    );
    const others = report.warnings.filter((text) => !known.includes(text));
    return [...engineFindings(others), ...trialFindings(report, limit.timeoutMs)];
  } catch (error) {
    if (!(error instanceof CliFailure) || !['ACTOR_ERROR', 'BUILD_FAILED', 'IMAGE_PULL_FAILED'].includes(error.code))
      throw error;
    return [{ id: 'run', level: 'error', message: error.message }];
  }
};

export const actorsCheck = action({
  operations: ['images.show', 'images.build', 'images.try'],
  details: 'Runs it once with a sample message. Exit code 1 if there are errors.',
  args: { target: optional('folder, image or actor (default: the current folder)', 'actor') },
  options: {
    message: text('-m, --message <text>', `message for the test run (default: the file ${SAMPLE} in the folder)`),
    timeout: duration('--timeout <duration>', 'time limit of the command (default: 30s for the test run)'),
    build: flag('--no-build', 'do not build the image of the folder first'),
    run: flag('--no-run', 'inspect only, run nothing'),
    allowOutside: outsideOption,
    takeOver: takeOverOption,
  },
  examples: ['actorctl actors check', 'actorctl actors check ./hello -m "{}"', 'actorctl actors check wordcount'],
  run: async (context, { target }, { message, timeout, build, run, allowOutside, takeOver }) => {
    const { output, manage } = context;
    if (timeout === 0) throw usage('--timeout must be longer than 0');
    const limit = timeout === undefined ? undefined : limitFrom(context, timeout);
    const given = message === undefined ? undefined : messageOf(Buffer.from(message));
    const asked = { build, sample: run && given === undefined, allowOutside, takeOver };
    const subject = await withTimeout(context, { timeout, goesOn: 'the actor was not run' }, (within) =>
      subjectOf(within, target, asked),
    );
    const sent = given ?? subject.sample ?? messageOf(Buffer.from('hello'));
    const { image: report, warnings: lacks = [] } = subject.image.startsWith('file:')
      ? {}
      : await manage('images.show', { image: subject.image });
    const missing: readonly Finding[] =
      report === undefined && !subject.image.startsWith('file:')
        ? [
            {
              id: 'image',
              level: 'warning',
              message: `the engine does not have image ${subject.image}`,
              fix: subject.isProject ? 'build it: actorctl actors build' : `docker pull ${subject.image}`,
            },
          ]
        : [];
    const findings = [
      ...subject.findings,
      ...missing,
      ...(report ? imageFindings(subject.image, report) : []),
      ...engineFindings(lacks),
      ...(run ? await attempt(context, subject, sent, { limit, known: lacks }) : []),
    ];
    const errors = findings.filter(({ level }) => level === 'error').length;
    const warnings = findings.filter(({ level }) => level === 'warning').length;
    const lines = findings.flatMap(({ id, level, message: what, fix }) => [
      `${level.padEnd(7)} ${id}: ${what}`,
      ...(fix === undefined ? [] : [`        fix: ${fix}`]),
    ]);
    const passed = findings.length - errors - warnings;
    const sum = `${passed} passed, ${plural(warnings, 'warning')}, ${plural(errors, 'error')}`;
    output.report([...lines, sum].join('\n'), { ok: errors === 0, image: subject.image, findings });
    return errors === 0 ? 0 : failureCodes.INTERNAL.exit;
  },
});
