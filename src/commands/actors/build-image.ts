// `actors build`: builds the image of a folder and shows the output of the engine. Shared with `deploy` and `dev`.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import type { Built } from '../../contract/owner/images.ts';
import { CliFailure, usage } from '../../failure.ts';
import { canBeProcess, type Project, readProject } from '../../local/project/project.ts';
import { shellWord } from '../../local/single-quoted.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { noSteps, type OnStep, stepsOf } from '../../ui/step.ts';
import { action } from '../framework/command.ts';
import { choice, flag, optional, text, texts, type ValuesOf } from '../framework/option.ts';
import { readPairs } from '../framework/pairs.ts';
import { claimImage, takeOverOption } from '../project/claim-image.ts';
import { imageHere } from '../temporary/temporary-project.ts';
import { outsideOption } from './actor-flags.ts';

export const buildOptions = {
  buildArg: texts('--build-arg <name=value>', 'build argument, repeatable'),
  cache: flag('--no-cache', 'do not use the cache of earlier builds'),
  pull: flag('--pull', 'pull newer base images'),
  target: text('--target <stage>', 'stage of the Dockerfile to build'),
  platform: text('--platform <os/arch>', 'platform to build for'),
  allowOutside: outsideOption,
  progress: choice('--progress <mode>', 'how much build output to show: auto, plain or none', [
    'auto',
    'plain',
    'none',
  ] as const),
};

export const processOption = flag(
  '--process',
  'run the folder as a process of this machine, without a container (admins)',
);

export type BuildOptions = Omit<ValuesOf<typeof buildOptions>, 'allowOutside'>;

/** The built image. `ms` is the build time in milliseconds. */
export type BuiltImage = Built & { readonly ms: number };

/** What the programs of build steps say without a network: pip, apt, apk, curl, npm, go, wget. */
const NO_NETWORK =
  /temporary failure (?:in name resolution|resolving)|temporary error \(try again|could not resolve host|no such host|network is unreachable|bad address|EAI_AGAIN|ENOTFOUND/i;

/** Failures of the engine or of a registry, not of the folder. */
const OUTSIDE = ['RUNTIME_UNAVAILABLE', 'IMAGE_PULL_FAILED'];

/** For `catch`: if the engine cannot build the image, offers to run the folder as a process, if it can be one. */
export const offerProcess =
  (project: Pick<Project, 'folder' | 'build'>) =>
  (error: unknown): never => {
    if (!(error instanceof CliFailure) || !OUTSIDE.includes(error.code)) throw error;
    if (project.build === undefined || !canBeProcess(project)) throw error;
    const hint = `actorctl actors deploy ${shellWord(project.folder)} --process`;
    throw new CliFailure(error.code, error.message, { ...error.extras, hint, cause: error });
  };

const hintFor = (code: string, file: string, log: readonly string[]): string => {
  if (code === 'IMAGE_PULL_FAILED') return 'the images that need no registry: docker images';
  return log.some((line) => NO_NETWORK.test(line))
    ? 'a step of the build needs the network: run it again when the network is back'
    : `fix ${file} or the files that it copies`;
};

/** Lines of output that a failed build shows. */
const LOG_TAIL = 20;

export const folderOf = ({ cwd }: Pick<CommandContext, 'cwd'>, given: string | undefined): string =>
  path.resolve(cwd, given ?? '.');

const shortId = (id: string): string => id.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]*$/, '$1');

/** `unchanged  image hello:dev (sha256:91c…)` */
export const formatReused = ({ image, id }: BuiltImage): string => `unchanged  image ${image} (${shortId(id)})`;

/** Describes a build: `Built hello:dev sha256:91c… (12.1 MB) in 8.1s (3 of 4 steps cached)`. */
export const formatBuilt = ({ image, id, size, steps, cached, ms }: BuiltImage): string => {
  const reused = steps === 0 ? '' : ` (${cached} of ${steps} steps cached)`;
  return `Built ${image} ${shortId(id)} (${formatBytes(size)}) in ${formatDuration(ms)}${reused}`;
};

const isStep = (line: string): boolean => /^step \d+\/\d+/i.test(line);

/** True for the line after a step whose result the engine already has. */
const isReused = (line: string, step: string): boolean =>
  /^ *-+> using cache/i.test(line) || (/: *from /i.test(step) && /^ *-+> [0-9a-f]+$/i.test(line));

/** Shows the output of the engine and remembers its last lines. */
const narrator = async (
  { output }: Pick<CommandContext, 'output'>,
  image: string,
  mode: BuildOptions['progress'],
  onStep: OnStep,
) => {
  const tail: string[] = [];
  const progress =
    mode === undefined || mode === 'auto'
      ? await output.progress(`building ${image}`, { terminalOnly: true })
      : undefined;
  /** The last step, until the next line shows whether the engine executes it. */
  let step: string | undefined;
  const follow = (line: string): void => {
    if (step !== undefined && !isStep(line) && !isReused(line, step)) progress?.update(`building ${image}: ${step}`);
    step = isStep(line) ? line : undefined;
  };
  /** Settles once every told step is written. */
  let written = Promise.resolve();
  const tellStep = (line: string): void => {
    written = written.then(() => onStep({ type: 'build-step', image, step: line }));
    // A failed write is thrown where the caller waits for it. Until then it must not end the process.
    written.catch(() => undefined);
  };
  return {
    tail: (): readonly string[] => tail,
    written: (): Promise<void> => written,
    say: (text: string): void => {
      for (const line of text.split(/[\r\n]+/).filter((each) => each.trim() !== '')) {
        tail.push(line);
        if (isStep(line)) tellStep(line);
        if (tail.length > LOG_TAIL) tail.shift();
        if (mode === 'plain') output.note(line);
        else if (mode !== 'none') {
          follow(line);
          output.verbose(line);
        }
      }
    },
    stop: (): void => progress?.stop(),
  };
};

/**
 * Builds the image of a folder through the local daemon. The build ends when the signal of the context aborts.
 * @param image name of the image (default: the image of the project). The caller must have claimed the name
 * @throws CliFailure USAGE, BUILD_FAILED and IMAGE_PULL_FAILED with the last lines of output, RUNTIME_UNAVAILABLE,
 * DAEMON_NOT_RUNNING
 */
export const buildProject = async (
  context: Pick<CommandContext, 'output' | 'manage' | 'now' | 'signal'>,
  { build, image: usual, folder, source }: Project,
  options: BuildOptions,
  image: string = usual,
  onStep: OnStep = noSteps,
): Promise<BuiltImage> => {
  if (build === undefined) throw usage(`cannot build ${folder}: it runs the existing image ${usual}`);
  const begun = context.now();
  const { packContext } = await import('../../local/project/build-context.ts');
  const { archive, files, bytes } = await packContext(build.context, build.dockerfile);
  const told = await narrator(context, image, options.progress, onStep);
  told.say(`sending ${files} files, ${formatBytes(bytes)}`);
  const target = options.target ?? build.target;
  const platform = options.platform ?? build.platform;
  try {
    const built = await context.manage(
      'images.build',
      {
        image,
        folder: source,
        dockerfile: build.dockerfile,
        args: { ...build.args, ...readPairs(options.buildArg, '--build-arg') },
        noCache: !options.cache,
        pull: options.pull,
        ...(target !== undefined && { target }),
        ...(platform !== undefined && { platform }),
      },
      { bytes: archive, onText: told.say, signal: context.signal },
    );
    const done = { ...built, ms: context.now() - begun };
    await told.written();
    await onStep({ type: 'image', ...done });
    return done;
  } catch (error) {
    if (!(error instanceof CliFailure) || !['BUILD_FAILED', 'IMAGE_PULL_FAILED'].includes(error.code)) throw error;
    const file = path.join(build.context, build.dockerfile);
    throw new CliFailure(error.code, error.message, {
      ...error.extras,
      details: { image, ...(options.progress !== 'plain' && { log: told.tail() }) },
      hint: hintFor(error.code, file, told.tail()),
      cause: error,
    });
  } finally {
    told.stop();
  }
};

export const actorsBuild = action({
  operations: ['images.show', 'images.build'],
  details: 'Files named in .dockerignore are left out.',
  args: { folder: optional('folder (default: the current folder)', 'folders') },
  options: {
    tag: text('-t, --tag <image>', 'name of the image (default: from actorctl.json)'),
    takeOver: takeOverOption,
    ...buildOptions,
  },
  examples: ['actorctl actors build', 'actorctl actors build ./hello -t hello:2 --no-cache'],
  run: async (context, { folder }, { tag, takeOver, ...options }) => {
    const project = await readProject(folderOf(context, folder), options);
    const image = tag ?? imageHere(context, project.image);
    if (project.build !== undefined)
      await claimImage(context, project, image, { takeOver, other: 'build another one: -t NAME:TAG' });
    const built = await buildProject(context, project, options, image, stepsOf(context.output));
    context.output.result(formatBuilt(built), built, built.image);
    context.output.next(`actorctl actors deploy ${folder ?? ''} --no-build`.replace(/ +/g, ' '));
    return 0;
  },
});
