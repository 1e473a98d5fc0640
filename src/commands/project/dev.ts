// `dev`: runs a whole project in a temporary instance, and applies it again on every change of its files.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { messageOf, usage } from '../../failure.ts';
import { endInstance } from '../../local/daemon/starter.ts';
import { liveImage } from '../../local/project/image-name.ts';
import type { Project } from '../../local/project/project.ts';
import { waitUntilReady } from '../actors/wait-until-ready.ts';
import { followActors } from '../executions/logs/log-follow.ts';
import { readLog } from '../executions/logs/log-reader.ts';
import { writeLog } from '../executions/logs/log-writer.ts';
import { formatFigures, formatOutcome, isFinal, limitFrom, waitUntil } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';
import type { Actor } from '../framework/views.ts';
import { startTemporaryInstance } from '../temporary/temporary-instance.ts';
import { withImages, withWebhook } from '../temporary/temporary-project.ts';
import { applyProject, readProjectOf } from './apply.ts';
import { loopFields, orWait, repeatOnChange } from './dev-loop.ts';
import { formatDone, valueOfStep } from './plan/words.ts';
import { fileOptions, findProjectFile } from './project-file.ts';
import type { ReadProject } from './read-desired-state.ts';

const colors = ['cyan', 'yellow', 'green', 'bold'] as const;
/** Longest wait for the outcome of an execution whose log has ended, in milliseconds. */
const OUTCOME_MS = 10_000;

/** Shows the logs and outcomes of all executions of the actors until the signal of the context. */
const followProject = (context: CommandContext, actors: ReadonlyMap<string, Actor>): Promise<void> => {
  const keys = new Map([...actors].map(([key, { id }]) => [id, key]));
  const width = Math.max(0, ...[...actors.keys()].map((key) => key.length));
  const order = [...keys.keys()];
  return followActors(context, [...actors.values()], async ({ id: actorId }, executionId, within) => {
    const actor = keys.get(actorId) ?? actorId;
    const prefix = `${actor.padEnd(width)} | `;
    const color = colors[order.indexOf(actorId) % colors.length] ?? 'cyan';
    const params = { actorId, executionId };
    await writeLog(within, readLog(within, { ...params, follow: true }), {
      timestamps: false,
      stdout: true,
      stderr: true,
      prefix,
      color,
      executionId,
      mark: { type: 'log', actor },
    });
    const { state } = await waitUntil(within, {
      read: () => within.call('executions.show', { params }),
      settled: isFinal,
      until: within.now() + OUTCOME_MS,
    });
    const { status, exitCode, reason } = state;
    if (!within.output.machine)
      return within.output.note(
        prefix + [executionId, formatOutcome(state), formatFigures(state)].filter((part) => part !== '').join('  '),
      );
    await within.output.event('', {
      type: 'execution',
      actor,
      execution_id: executionId,
      status,
      ...(exitCode !== undefined && { exit_code: exitCode }),
      ...(reason !== undefined && { reason }),
    });
  });
};

/** Longest wait for an actor to become READY, in milliseconds. */
const READY_MS = 120_000;

/** True if one of the changed files is in the folder from which the image is built. */
const isTouched = ({ build }: Project, files: readonly string[]): boolean =>
  build !== undefined && files.some((file) => !path.relative(build.context, file).startsWith('..'));

const develop = (
  outer: CommandContext,
  inner: CommandContext,
  folder: string,
  read: () => Promise<ReadProject>,
): Promise<void> => {
  const { output } = outer;
  return repeatOnChange(outer, { folder }, ({ until, fail }) => {
    const built = new Set<string>();
    const changed = new Set<string>();
    let following: { readonly ids: string; readonly stop: AbortController; readonly done: Promise<void> } | undefined;
    const follow = (actors: ReadonlyMap<string, Actor>): void => {
      const ids = [...actors.values()].map(({ id }) => id).join();
      if (following?.ids === ids || until.aborted) return;
      following?.stop.abort();
      const stop = new AbortController();
      const signal = AbortSignal.any([until, stop.signal]);
      following = { ids, stop, done: followProject({ ...inner, signal }, actors).catch(fail) };
    };
    // The end of the loop stops builds and waits, but does not interrupt a change in progress.
    const within = { ...inner, signal: until };
    const applied = async () => {
      // A file that is saved after this point belongs to the next round.
      const files = [...changed];
      changed.clear();
      try {
        const project = withImages(withWebhook(await read()), liveImage);
        const sources = new Map(
          [...project.sources].filter(([key, source]) => !built.has(key) || isTouched(source, files)),
        );
        const done = await applyProject(within, { ...project, sources }, { prune: true, build: true });
        for (const key of sources.keys()) built.add(key);
        return { ...done, project };
      } catch (error) {
        for (const file of files) changed.add(file);
        throw error;
      }
    };
    const round = async (): Promise<void> => {
      const { project, steps, ids } = await applied();
      for (const step of steps.filter((each) => each.action !== 'unchanged')) {
        if (output.machine) await output.event('', { type: 'apply', ...valueOfStep(step) });
        else output.note(formatDone(step));
      }
      const actors = new Map<string, Actor>();
      for (const { key } of project.wanted.actors) {
        const actor = await inner.call('actors.show', { params: { actorId: ids.get(key) ?? key } });
        const isReady = actor.status === 'READY';
        actors.set(key, isReady ? actor : await waitUntilReady(within, actor, limitFrom(within, READY_MS)));
      }
      follow(actors);
      if (output.machine) await output.event('', { type: 'ready', project: project.wanted.project });
      else
        output.note(
          `project ${project.wanted.project} runs: actorctl run ACTOR -m hello -c local --instance ${inner.settings.instance}`,
        );
    };
    return {
      round: async () => void (await orWait(outer, round)),
      changed: (names) => {
        for (const name of names) changed.add(path.join(folder, name));
      },
      end: async (idle) => {
        await idle;
        await following?.done;
      },
    };
  });
};

/** The fields of all kinds of objects that programs receive. */
const devFields = [...loopFields, ...['actor', 'kind', 'name', 'id', 'action', 'changes', 'project']];

export const devCommand = action({
  details:
    'Starts a temporary instance, applies the project to it, shows the logs of all actors, and applies the project again after each change. Webhooks are left out. At the end, everything except the built images is removed.',
  options: fileOptions,
  examples: ['actorctl dev', 'actorctl dev -f examples/weather'],
  run: async (context, _args, options) => {
    if (!context.output.allowFields(devFields)) return 0;
    if (options.file === '-') throw usage('dev watches the project file, so it cannot be standard input');
    const file = findProjectFile(context, options.file);
    const read = (): Promise<ReadProject> => readProjectOf(context, options);
    // Errors in the file are reported before anything starts.
    await read();
    const { context: inner, close } = await startTemporaryInstance(context);
    inner.output.allowFields(devFields);
    try {
      // The folder is resolved to its real path, because the folders of images are real paths.
      await develop(context, inner, await realpath(path.dirname(file)), read);
    } finally {
      await close().catch((error: unknown) =>
        context.output.warn(
          `the temporary instance is still there: ${messageOf(error)}. To stop it: ${endInstance(inner.settings.instance)}`,
        ),
      );
    }
    return 0;
  },
});
