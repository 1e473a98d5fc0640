// A temporary home: an instance with a folder, a login and images of its own, for one program. Any number of them run
// side by side, and they use nothing of the home that made them except its cache.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf, usage } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import type { LaunchFlags } from '../../local/daemon/launch.ts';
import { startOptions } from '../../local/daemon/start-options.ts';
import { type LeftHome, leftHomes } from '../../local/daemon/starter.ts';
import { removeTree } from '../../local/folders/remove-tree.ts';
import { killMarked } from '../../local/marked-processes.ts';
import { ownImage } from '../../local/project/image-name.ts';
import { limitFrom } from '../executions/wait-for-outcome.ts';
import { applyProject } from '../project/apply.ts';
import type { ReadProject } from '../project/read-desired-state.ts';
import { waitForAll } from '../project/ready-actors.ts';
import { begin, stopTemporary } from './temporary-instance.ts';
import { withImages, withWebhook } from './temporary-project.ts';

/** Longest wait for the actors of a project to become READY, in milliseconds. */
const READY_MS = 120_000;

export interface TemporaryHome {
  /** Absolute path of the home. */
  readonly folder: string;
  /** Name of the home and of its instance. */
  readonly name: string;
  readonly baseUrl: string;
  /** Access token of the admin. It is valid as long as the instance, whatever its clock says. */
  readonly token: string;
  /** The context for requests as the admin of the instance, until the signal of the command. */
  readonly context: CommandContext;
  /**
   * Applies a project, and waits until its actors are READY. Its images have names of their own. Returns the ids of the
   * actors by their names in the file.
   * @param options.webhook receives the events of all actors with a webhook; absent: nothing is sent
   * @param options.build false to use the images of an earlier call
   */
  readonly apply: (
    project: ReadProject,
    options?: { readonly webhook?: string | undefined; readonly build?: boolean },
  ) => Promise<ReadonlyMap<string, string>>;
  /** Stops the instance and removes everything of it. Works even after an interrupt. */
  readonly close: () => Promise<void>;
}

/** The settings about the engine, which the temporary home does not read. */
const engineFlags = ({ origins }: CommandContext['settings']): LaunchFlags =>
  Object.fromEntries(
    (['engine', 'dockerHost', 'registry', 'advertiseUrl'] as const).flatMap((key) => {
      const { source, value } = origins[startOptions[key].setting];
      return source === 'file' && value !== null ? [[key, String(value)]] : [];
    }),
  );

/** Ends the daemon of a temporary home and removes the home. If the daemon does not stop, the home stays. */
const end = async (context: CommandContext, folder: string): Promise<void> => {
  await stopTemporary(context);
  if ((await (await context.local()).leftBehind()) !== undefined) {
    throw new CliFailure('RUNTIME_UNAVAILABLE', 'some of its executions could not be halted', {
      hint: 'start the container engine, then actorctl prune',
    });
  }
  await removeTree(folder);
};

/**
 * Ends the program and the daemon of a temporary home that was left behind, and removes the home.
 * @throws CliFailure if the daemon does not stop, or its executions cannot be halted
 */
export const endLeftHome = async (outer: CommandContext, { name, folder }: LeftHome): Promise<void> => {
  killMarked(name);
  await end(await outer.inHome(folder, outer.signal, true), folder);
};

/** Removes the homes of commands that were killed before their daemons started. */
const removeUnused = async ({ paths }: CommandContext): Promise<void> => {
  for (const { name, folder } of leftHomes(paths))
    if (!existsSync(path.join(folder, 'data', name))) await removeTree(folder);
};

/** Starts an instance in a home of its own. @param flags options of the daemon */
export const startTemporaryHome = async (outer: CommandContext, flags: LaunchFlags = {}): Promise<TemporaryHome> => {
  await removeUnused(outer);
  const name = `temp-${randomName(4)}`;
  const folder = path.join(outer.paths.temporaryDir, name);
  const lasting = await outer.inHome(folder, new AbortController().signal, true);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= end(lasting, folder);
    return closing;
  };
  try {
    const { status, token } = await begin(lasting, { ...engineFlags(outer.settings), ...flags });
    if (outer.signal.aborted) throw new CliFailure('CANCELLED', 'interrupted');
    const context = await outer.inHome(folder, outer.signal);
    return {
      folder,
      name,
      baseUrl: status.baseUrl,
      token,
      context,
      apply: async (project, { webhook, build = true } = {}) => {
        const own = withImages(withWebhook(project, webhook), (image) => ownImage(image, name));
        const ran = await applyProject(context, own, { prune: false, build });
        await waitForAll(context, ran, own.wanted, limitFrom(context, READY_MS));
        return ran.ids;
      },
      close,
    };
  } catch (error) {
    await close().catch((trouble: unknown) => outer.output.warn(leftOver({ name }, trouble)));
    throw error;
  }
};

/** Says that a temporary home could not be removed. */
export const leftOver = ({ name }: Pick<TemporaryHome, 'name'>, error: unknown): string =>
  `the temporary instance ${name} is still there: ${messageOf(error)}. To remove it: actorctl prune`;

/** @throws CliFailure USAGE if the archive of a temporary home cannot be written where it is asked for */
export const refuseFile = (file: string, flag: string): void => {
  if (!existsSync(path.dirname(file))) throw usage(`there is no folder ${path.dirname(file)} for ${flag}`);
};
