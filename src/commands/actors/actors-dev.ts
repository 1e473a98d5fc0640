// `actors dev`: builds a folder and runs it as a temporary actor, and repeats both on every file change.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { exactText } from '../../contract/exact-json.ts';
import { MESSAGE_LIMIT } from '../../contract/for-client.ts';
import { CliFailure, messageOf } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import { liveImage } from '../../local/project/image-name.ts';
import { type Project, type ProjectOptions, readProject, SAMPLE } from '../../local/project/project.ts';
import { PROJECT_FILE } from '../../local/project/project-names.ts';
import { readFolderFile, requireFolderFile } from '../../local/small-file.ts';
import { messageOf as messageOfBytes, sendMessage } from '../executions/message-input.ts';
import { limitFrom } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';
import { flag, optional, text } from '../framework/option.ts';
import type { Actor } from '../framework/views.ts';
import { loopFields, orWait, repeatOnChange } from '../project/dev-loop.ts';
import {
  type BuildOptions,
  buildOptions,
  buildProject,
  folderOf,
  formatBuilt,
  offerProcess,
  processOption,
} from './build-image.ts';
import { applyDeployment, planDeployment } from './deploy-plan.ts';
import { tailExecutions } from './dev-tail.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** Longest wait for the temporary actor to become READY, in milliseconds. */
const READY_MS = 120_000;
/** Longest time to delete the temporary actor, in milliseconds. */
const CLEAN_MS = 15_000;
const KEYS = 'keys: r run the sample · b build again · s show the state · q quit';

/**
 * The project for the temporary actor: a temporary alias, its variables and configs, but no link, webhook, cron or
 * permissions.
 */
const temporaryInstance = (project: Project): Project => {
  const { link, webhook, cron, permissions, alias: usual, ...rest } = project.document;
  const base = usual ?? project.name.replace(/[^A-Za-z0-9._-]+/g, '-');
  const alias = `${base}-dev-${randomName(3)}`;
  const image = project.build === undefined ? project.image : liveImage(project.image, project.source);
  return { ...project, name: alias, image, document: { ...rest, alias } };
};

/** Reports progress: a line for people, an object for machines. */
const say = async ({ output }: CommandContext, type: string, line: string, value: object = {}): Promise<void> => {
  if (output.machine) await output.event('', { type, ...value });
  else output.note(line);
};

/**
 * Builds and deploys the folder once. Errors in the folder are reported, and the next file change triggers a new
 * attempt.
 */
const round = async (
  context: CommandContext,
  running: Project,
  options: BuildOptions & ProjectOptions,
): Promise<Actor | undefined> =>
  orWait(context, async () => {
    // actorctl.json may also have changed. The name, image and alias stay.
    const now = await readProject(running.folder, options);
    const { name, image, document } = running;
    const { link, webhook, cron, permissions, ...rest } = now.document;
    const project: Project = { ...now, name, image, document: { ...rest, alias: document.alias } };
    if (project.build !== undefined) {
      const built = await buildProject(context, project, options).catch(offerProcess(project));
      await say(context, 'build', formatBuilt(built), built);
    }
    const plan = await planDeployment(context, project, { permissions: false });
    const deployed = await applyDeployment(context, project, plan, plan.actor !== undefined);
    const ready = await waitUntilReady(context, deployed, limitFrom(context, READY_MS));
    await say(context, 'deploy', `${document.alias}  ${ready.status}  (revision ${ready.revision})`, {
      actor: ready.id,
      alias: document.alias,
      status: ready.status,
      revision: ready.revision,
    });
    return ready;
  });

const sampleOf = ({ folder, sampleFile }: Project, given: string | undefined): Uint8Array | undefined =>
  given === undefined
    ? readFolderFile(sampleFile, MESSAGE_LIMIT)
    : requireFolderFile(path.resolve(folder, given), MESSAGE_LIMIT);

/** Deletes the temporary actor and its alias. It has its own signal, because it also runs after an interrupt. */
const cleanUp = async ({ call, output }: CommandContext, { document }: Project): Promise<void> => {
  const { alias = '' } = document;
  const signal = AbortSignal.timeout(CLEAN_MS);
  try {
    const { actorId } = await call('aliases.show', { params: { alias }, signal });
    await call('actors.delete', { params: { actorId }, query: { force: true }, signal, timeoutMs: CLEAN_MS });
    output.note(`removed ${alias}`);
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'NOT_FOUND') return;
    output.warn(
      `cannot delete ${alias}: ${messageOf(error)}. To delete it: actorctl actors delete ${alias} --force --yes`,
    );
  }
};

const develop = (
  context: CommandContext,
  project: Project,
  options: BuildOptions & ProjectOptions,
  wish: DevWish,
): Promise<void> => {
  const { call, output, keys } = context;
  const isIgnored = (name: string) => name === SAMPLE || name === wish.sample;
  return repeatOnChange(context, { folder: project.folder, isIgnored }, ({ until, fail }) => {
    let actor: Actor | undefined;
    let tailing: Promise<void> | undefined;
    const runSample = async (): Promise<void> => {
      const sample = sampleOf(project, wish.sample);
      if (actor === undefined) output.note('there is no actor to run yet');
      else if (sample === undefined)
        output.note(`there is no ${SAMPLE}. To send another message: actorctl run ${project.document.alias} -m hello`);
      else await sendMessage(context, actor, messageOfBytes(sample), {});
    };
    const again = async (): Promise<void> => {
      const ready = await round({ ...context, signal: until }, project, options);
      if (ready === undefined || until.aborted) return;
      actor = ready;
      tailing ??= tailExecutions(context, ready.id, until).catch(fail);
      if (wish.run) await runSample();
    };
    const showState = async (): Promise<void> => {
      if (actor === undefined || actor.stateless) output.note('the actor is stateless');
      else output.note(exactText((await call('state.show', { params: { actorId: actor.id } })).state) ?? '');
    };
    if (keys.available) output.note(KEYS);
    return {
      round: again,
      keys: { r: runSample, b: again, s: showState },
      end: async (idle) => {
        await Promise.race([Promise.all([idle, tailing]), new Promise((resolve) => setTimeout(resolve, CLEAN_MS))]);
        await cleanUp(context, project);
      },
    };
  });
};

interface DevWish {
  readonly sample?: string | undefined;
  readonly run: boolean;
}

/** The fields of every kind of object that is printed for programs. */
const devFields = [...loopFields, ...['image', 'id', 'size', 'steps', 'cached', 'ms', 'actor', 'alias', 'revision']];

export const actorsDev = action({
  details: 'Uses a temporary actor, shows its logs, and deletes it at the end.',
  args: { folder: optional('folder (default: the current folder)', 'folders') },
  options: {
    message: text(
      '--sample <file>',
      `message to send after each build, a file in the folder (default: ${SAMPLE})`,
      'files',
    ),
    run: flag('--no-run', 'do not send the sample automatically'),
    process: processOption,
    ...buildOptions,
  },
  examples: [
    'actorctl actors dev',
    'actorctl actors dev ./hello --process',
    'actorctl actors dev ./hello --sample tests/long.json',
  ],
  run: async (context, { folder }, { message, run, ...options }) => {
    if (!context.output.allowFields(devFields)) return 0;
    const project = temporaryInstance(await readProject(folderOf(context, folder), options));
    context.output.note(
      `${project.name}: watching ${project.folder} (${PROJECT_FILE} without link, webhook, cron and permissions)`,
    );
    await develop(context, project, options, { sample: message, run });
    return 0;
  },
});
