// Building the image of a folder, with what the engine says on the way; `build`, `deploy` and `dev` share it.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Built } from '../../local/daemon/image-client.ts';
import { packContext } from '../../local/project/build-context.ts';
import type { Project } from '../../local/project/project.ts';
import { wordBytes } from '../../ui/format/table.ts';
import { wordDuration } from '../../ui/format/time.ts';
import { choice, flag, text, texts, type ValuesOf } from '../kernel/option.ts';
import { readPairs } from '../kernel/pairs.ts';

/** The flags of a build. */
export const buildOptions = {
  buildArg: texts('--build-arg <name=value>', 'a build argument; several are taken'),
  cache: flag('--no-cache', 'use nothing of earlier builds'),
  pull: flag('--pull', 'ask the registry for newer base images'),
  target: text('--target <stage>', 'the stage of the Dockerfile to stop at'),
  platform: text('--platform <os/arch>', 'build for another platform'),
  progress: choice('--progress <mode>', 'auto, plain or none: how much of the build is shown', [
    'auto',
    'plain',
    'none',
  ] as const),
};

export type BuildOptions = ValuesOf<typeof buildOptions>;

/** What was built, and how long it took in milliseconds. */
export type BuiltImage = Built & { readonly ms: number };

/** How many lines a build that failed shows. */
const LOG_TAIL = 20;

/** The folder that a command was given, or the one it is called in. */
export const folderOf = ({ cwd }: Pick<CommandContext, 'cwd'>, given: string | undefined): string =>
  path.resolve(cwd, given ?? '.');

/** Words what was built: `Built hello:dev sha256:91c… (12.1 MB) in 8.1s (3 of 4 steps cached)`. */
export const wordBuilt = ({ image, id, size, steps, cached, ms }: BuiltImage): string => {
  const short = id.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]*$/, '$1');
  const reused = steps === 0 ? '' : ` (${cached} of ${steps} steps cached)`;
  return `Built ${image} ${short} (${wordBytes(size)}) in ${wordDuration(ms)}${reused}`;
};

const isStep = (line: string): boolean => /^step \d+\/\d+/i.test(line);

/** Shows what the engine says, and keeps the end of it. */
const narrator = async ({ output }: Pick<CommandContext, 'output'>, image: string, mode: BuildOptions['progress']) => {
  const tail: string[] = [];
  const progress = mode === undefined || mode === 'auto' ? await output.progress(`building ${image}`) : undefined;
  return {
    tail: (): readonly string[] => tail,
    say: (text: string): void => {
      for (const line of text.split(/[\r\n]+/).filter((each) => each.trim() !== '')) {
        tail.push(line);
        if (tail.length > LOG_TAIL) tail.shift();
        if (mode === 'plain') output.note(line);
        else if (mode !== 'none') {
          if (isStep(line)) progress?.update(`building ${image}: ${line}`);
          output.verbose(line);
        }
      }
    },
    stop: (): void => progress?.stop(),
  };
};

/**
 * Builds the image of a folder by way of the local daemon.
 * @param image the reference it gets; the one of the project unless told
 * @throws CliFailure USAGE, BUILD_FAILED with the end of what the engine said, RUNTIME_UNAVAILABLE, DAEMON_NOT_RUNNING
 */
export const buildProject = async (
  context: Pick<CommandContext, 'output' | 'local' | 'now'>,
  { build, image: usual, folder }: Project,
  options: BuildOptions,
  image: string = usual,
): Promise<BuiltImage> => {
  if (build === undefined) throw usage(`${folder} has nothing to build: it runs as ${usual}`);
  const begun = context.now();
  const { archive, files, bytes } = await packContext(build.context, build.dockerfile);
  const told = await narrator(context, image, options.progress);
  told.say(`sending ${files} files, ${wordBytes(bytes)}`);
  const target = options.target ?? build.target;
  const platform = options.platform ?? build.platform;
  try {
    const built = await context.local.images.build(
      {
        image,
        dockerfile: build.dockerfile,
        args: { ...build.args, ...readPairs(options.buildArg, '--build-arg') },
        noCache: !options.cache,
        pull: options.pull,
        ...(target !== undefined && { target }),
        ...(platform !== undefined && { platform }),
      },
      archive,
      told.say,
    );
    return { ...built, ms: context.now() - begun };
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'BUILD_FAILED') throw error;
    throw new CliFailure(error.code, error.message, {
      ...error.extras,
      details: { image, ...(options.progress !== 'plain' && { log: told.tail() }) },
      hint: `correct ${path.join(build.context, build.dockerfile)}, or the files it copies`,
      cause: error,
    });
  } finally {
    told.stop();
  }
};
