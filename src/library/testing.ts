// `actorctl/testing`: a platform for tests, which runs actors of a project and is removed at the end.
import path from 'node:path';
import { takeResults } from '../commands/executions/result-reader.ts';
import { settleFrom, waitUntilSettled } from '../commands/executions/settle.ts';
import {
  DEFAULT_WAIT_MS,
  formatOutcome,
  hasFailed,
  isFinal,
  limitFrom,
  waitUntil,
} from '../commands/executions/wait-for-outcome.ts';
import { newestExecutions } from '../commands/framework/search-rows.ts';
import { readProjectOf } from '../commands/project/apply.ts';
import type { ReadProject } from '../commands/project/read-desired-state.ts';
import { startTemporaryHome, type TemporaryHome } from '../commands/temporary/temporary-home.ts';
import type { CommandContext } from '../context.ts';
import { parseExact } from '../contract/exact-json.ts';
import { CliFailure, usage } from '../failure.ts';
import { parseStep } from '../ui/format/time.ts';
import { inErrors } from './actorctl-error.ts';
import { type CallOptions, clientOf, messageOf, type StreamedEvent, streamOf } from './client-of.ts';
import { libraryContext } from './library-context.ts';
import type { Platform, PlatformOptions, Run, RunOptions } from './public-types.ts';

export { ActorctlError } from './actorctl-error.ts';

const launchOf = ({ clock, import: archive, engine, dockerHost }: PlatformOptions) => ({
  ...(clock !== undefined && { clock: clock === 'virtual' ? clock : clock.getTime() }),
  ...(archive !== undefined && { importFile: path.resolve(archive) }),
  ...(engine !== undefined && { engine }),
  ...(dockerHost !== undefined && { dockerHost }),
});

/** Events of a stream that only tell its position. */
const POSITIONS: readonly string[] = ['open', 'reset', 'cursor'];

async function* eventsSince(
  context: CommandContext,
  after: string,
  options: CallOptions | undefined,
): AsyncGenerator<StreamedEvent, void, void> {
  for await (const each of streamOf(context, 'events.list')({ after }, options))
    if (!POSITIONS.includes(each.event)) yield each;
}

/** Deletes the actors, aliases and configs with everything that belongs to them. */
const empty = async ({ call }: CommandContext): Promise<void> => {
  for (const { alias } of await call('aliases.list')) await call('aliases.delete', { params: { alias } });
  for (const { id } of await call('actors.list'))
    await call('actors.delete', { params: { actorId: id }, query: { force: true } });
  for (const { name } of await call('configs.list')) await call('configs.delete', { params: { configName: name } });
};

const runOf = async (
  context: CommandContext,
  actorId: string,
  message: unknown,
  { check = true, timeoutMs = DEFAULT_WAIT_MS, signal }: RunOptions,
): Promise<Run> => {
  const within = signal === undefined ? context : await context.withSignal(AbortSignal.any([context.signal, signal]));
  const { call } = within;
  const { executionId } = await call('messages.send', { params: { actorId }, ...messageOf(message) });
  const params = { actorId, executionId };
  const { state, settled } = await waitUntil(within, {
    read: () => call('executions.show', { params }),
    settled: isFinal,
    until: limitFrom(within, timeoutMs).until,
  });
  if (!settled) throw new CliFailure('WAIT_TIMEOUT', `execution ${executionId} has not ended after ${timeoutMs} ms`);
  const { logs: log } = await call('executions.logs', { params });
  if (check && hasFailed(state)) {
    const what = `execution ${executionId} failed: ${formatOutcome(state)}`;
    throw new CliFailure('EXECUTION_FAILED', log === '' ? what : `${what}\n${log}`, { details: { executionId, log } });
  }
  const results = await takeResults(within, params, { first: false, keep: async () => undefined });
  const first = results[0];
  return {
    executionId,
    status: state.status,
    exitCode: state.exitCode,
    log,
    results,
    json: () => parseExact(first === undefined ? log : first.toString('utf8')),
  };
};

/** Imported data may have a virtual clock without the option, so the daemon decides. */
const inLibraryWords = (error: unknown): never => {
  if (!(error instanceof CliFailure) || error.code !== 'OTHER_CLOCK') throw error;
  throw new CliFailure('OTHER_CLOCK', 'the platform has the clock of the machine, which cannot be moved', {
    hint: "start it with startPlatform({ clock: 'virtual' })",
    cause: error,
  });
};

const platformOf = (home: TemporaryHome, read: ReadProject | undefined, webhook: string | undefined) => {
  const { context, baseUrl, token } = home;
  const { call } = context;
  let ids: ReadonlyMap<string, string> = new Map();
  let since = '0';
  const apply = async (build: boolean): Promise<void> => {
    if (read !== undefined) ids = await home.apply(read, { webhook, build });
  };
  const idOf = async (actor: string): Promise<string> =>
    ids.get(actor) ??
    (await call('actors.list')).find(({ name }) => name === actor)?.id ??
    (await call('actors.show', { params: { actorId: actor } })).id;
  const settledSince = async (after: string, timeoutMs = DEFAULT_WAIT_MS) =>
    waitUntilSettled(context, { after }, limitFrom(context, timeoutMs));
  const close = (): Promise<void> => inErrors(home.close);
  return {
    apply,
    platform: {
      baseUrl,
      token,
      env: {
        ACTORCTL_BASE_URL: baseUrl,
        ACTORCTL_TOKEN: token,
        ACTORCTL_HOME: home.folder,
        ACTORCTL_INSTANCE: home.name,
        ACTORCTL_CONTEXT: 'local',
        ACTORCTL_CREDENTIAL_STORE: 'file',
      },
      client: clientOf(context),
      run: (actor: string, message: unknown, options: RunOptions = {}) =>
        inErrors(async () => runOf(context, await idOf(actor), message, options)),
      state: (actor: string) =>
        inErrors(async () => (await call('state.show', { params: { actorId: await idOf(actor) } })).state),
      executions: (actor: string) =>
        inErrors(async () => newestExecutions(context, { actorId: await idOf(actor) }, Number.MAX_SAFE_INTEGER)),
      events: (options?: CallOptions) => eventsSince(context, since, options),
      settled: ({ timeoutMs }: { readonly timeoutMs?: number } = {}) =>
        inErrors(async () => settledSince((await settleFrom(context)).after, timeoutMs)),
      clock: {
        now: () =>
          inErrors(async () => {
            const { clock, machineTime } = await call('clock.show');
            return new Date(clock?.time ?? machineTime);
          }),
        advance: (duration: string) =>
          inErrors(async () => {
            const { after } = await settleFrom(context);
            const body = { by: parseStep(duration), most: Number.MAX_SAFE_INTEGER };
            const { moved, due } = await call('clock.move', { body, timeoutMs: 0 }).catch(inLibraryWords);
            if (!moved) throw usage(`the clock was not moved: ${due} scheduled runs fall due`);
            return settledSince(after);
          }),
      },
      reset: () =>
        inErrors(async () => {
          await empty(context);
          since = (await settleFrom(context)).after;
          await apply(false);
        }),
      close,
      [Symbol.asyncDispose]: close,
    },
  };
};

/** Starts a platform in a folder of its own, and applies a project. */
export const startPlatform = (options: PlatformOptions = {}): Promise<Platform> =>
  inErrors(async () => {
    const { project: file, webhook, signal } = options;
    const outer = await libraryContext({ ...(signal && { signal }) });
    const read = file === undefined ? undefined : await readProjectOf(outer, { file, allowOutside: false });
    const home = await startTemporaryHome(outer, launchOf(options));
    try {
      const { apply, platform } = platformOf(home, read, webhook);
      await apply(true);
      return platform;
    } catch (error) {
      await home.close().catch(() => undefined);
      throw error;
    }
  });
