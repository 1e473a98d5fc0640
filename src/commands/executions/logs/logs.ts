// `logs`: shows the logs of executions, or of the executions of actors.
import type { CommandContext } from '../../../context.ts';
import { CliFailure, usage } from '../../../failure.ts';
import { parseTime } from '../../../ui/format/time.ts';
import { action } from '../../framework/command.ts';
import { flag, integer, several, text, type ValuesOf } from '../../framework/option.ts';
import { type LogTarget, resolveLogTarget } from '../../framework/resolve-execution.ts';
import { newestExecutions } from '../../framework/search-rows.ts';
import { followTimeout, refuseLimitWithout, withTimeout } from '../../framework/time-limit.ts';
import type { Execution } from '../../framework/views.ts';
import { createWaitNotes, isFinal, waitUntil } from '../wait-for-outcome.ts';
import { followActors } from './log-follow.ts';
import { readLog } from './log-reader.ts';
import { type LogStyle, lineFields, writeLog } from './log-writer.ts';

const logOptions = {
  follow: flag('-f, --follow', 'continue until the execution ends; for an actor, also show every new execution'),
  tail: integer('--tail <lines>', 'only the last lines of the existing log'),
  since: text('--since <time>', 'only output since: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
  timestamps: flag('-t, --timestamps', 'print the time before each line'),
  stdout: flag('--stdout', 'only the stdout of the actor'),
  stderr: flag('--stderr', 'only the stderr of the actor'),
  prefix: flag('--prefix', 'print the execution id before each line'),
  timeout: followTimeout,
};

type LogOptions = ValuesOf<typeof logOptions>;

const styleOf = (
  { serviceClock }: Pick<CommandContext, 'serviceClock'>,
  options: LogOptions,
  executionId: string,
  prefix: Prefix,
): LogStyle => {
  const both = options.stdout === options.stderr;
  return {
    timestamps: options.timestamps,
    stdout: both || options.stdout,
    stderr: both || options.stderr,
    executionId,
    ...(options.tail !== undefined && { tail: options.tail }),
    ...(options.since !== undefined && { since: parseTime(options.since, serviceClock.now()) }),
    ...prefix,
  };
};

const showOne = async (
  context: CommandContext,
  actorId: string,
  executionId: string,
  options: LogOptions,
  prefix: Prefix,
): Promise<void> => {
  const pieces = readLog(context, { actorId, executionId, follow: options.follow });
  await writeLog(context, pieces, styleOf(context, options, executionId, prefix));
};

/**
 * Shows the log of an execution while it grows, and what holds up the execution. With a nonce it shows only the log,
 * because each request consumes a use of the nonce.
 */
const followOne = async (context: CommandContext, params: LogParams, show: () => Promise<void>): Promise<void> => {
  if (context.settings.nonce !== undefined) return show();
  const ended = new AbortController();
  const told = tellWaits(context, params, AbortSignal.any([context.signal, ended.signal]));
  try {
    await show();
  } finally {
    ended.abort();
    await told;
  }
};

/** Ends with the execution or the signal. An error is left to the log, whose stream meets it too. */
const tellWaits = async (context: CommandContext, params: LogParams, signal: AbortSignal): Promise<void> => {
  const call = context.retryingCall({ signal });
  const tell = createWaitNotes(context);
  const read = async (): Promise<Execution> => {
    const state = await call('executions.show', { params, signal });
    tell(state);
    return state;
  };
  try {
    await waitUntil({ ...context, signal }, { read, settled: isFinal, until: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
  }
};

type LogParams = Readonly<Record<'actorId' | 'executionId', string>>;

const idOf = (target: LogTarget): string => (target.kind === 'actor' ? target.actor.id : target.execution.id);

/** The colours of actors, in the order of the targets. */
const colors = ['cyan', 'yellow', 'green', 'bold'] as const;

type Prefix = Pick<LogStyle, 'prefix' | 'color'>;

/** The prefixes of lines: the execution, and before it the actor if several targets are shown. */
const prefixesOf = (targets: readonly LogTarget[]) => {
  const names = targets.map((target) =>
    target.kind === 'actor' ? target.actor.name || target.actor.id : target.execution.actorId,
  );
  const width = Math.max(...names.map((name) => name.length));
  return (index: number, executionId: string): Prefix => {
    if (targets.length === 1) return { prefix: `${executionId} | ` };
    const color = colors[index % colors.length] ?? 'cyan';
    return { prefix: `${(names[index] ?? '').padEnd(width)} ${executionId} | `, color };
  };
};

/** Shows logs one after the other: of an execution, and of the latest execution of an actor. */
const showEach = async (
  context: CommandContext,
  targets: readonly LogTarget[],
  options: LogOptions,
  prefixOf: (index: number, executionId: string) => Prefix,
): Promise<void> => {
  for (const [index, target] of targets.entries()) {
    if (target.kind === 'execution') {
      const { actorId, id } = target.execution;
      const show = () => showOne(context, actorId, id, options, prefixOf(index, id));
      await (options.follow ? followOne(context, { actorId, executionId: id }, show) : show());
      continue;
    }
    const { actor } = target;
    const [latest] = await newestExecutions(context, { actorId: actor.id }, 1);
    if (latest === undefined) {
      context.output.note(`actor ${actor.name || actor.id} has not run yet`);
      continue;
    }
    context.output.note(`latest execution ${latest.id} (to follow all new executions: -f)`);
    await showOne(context, actor.id, latest.id, options, prefixOf(index, latest.id));
  }
};

/**
 * Shows logs. For an actor this is the log of the latest execution. With `follow` it is the logs of all running and new
 * executions until a signal, and then the function returns undefined.
 */
const showLogs = async (
  context: CommandContext,
  references: readonly string[],
  options: LogOptions,
): Promise<0 | undefined> => {
  const found: LogTarget[] = [];
  for (const reference of references) found.push(await resolveLogTarget(context, reference));
  const targets = found.filter((target, index) => found.findIndex((each) => idOf(each) === idOf(target)) === index);
  const prefixOf = prefixesOf(targets);
  const actors = targets.flatMap((target) => (target.kind === 'actor' ? [target.actor] : []));
  if (!options.follow || actors.length === 0) {
    const prefixed = options.prefix || targets.length > 1;
    const show = (each: readonly LogTarget[], offset = 0): Promise<void> =>
      showEach(context, each, options, (index, id) => (prefixed ? prefixOf(index + offset, id) : {}));
    if (options.follow) await Promise.all(targets.map((target, index) => show([target], index)));
    else await show(targets);
    return 0;
  }
  const executions = targets.flatMap((target) => (target.kind === 'execution' ? [target.execution] : []));
  if (executions.length > 0) {
    throw usage(
      'cannot follow actors and executions together',
      'follow the actor of the execution, or run two commands',
    );
  }
  await followActors(context, actors, (actor, id, within) =>
    showOne(within, actor.id, id, options, prefixOf(actors.indexOf(actor), id)),
  );
  return undefined;
};

export const logsCommand = action({
  details:
    'For an actor, shows the latest execution. With -f, shows all running and new executions of the actors until Ctrl-C, with the execution id before each line. With several targets, each line begins with the actor.',
  operations: ['executions.logs', 'executions.show'],
  args: { targets: several('actors or executions', 'actor or execution') },
  options: logOptions,
  examples: [
    'actorctl logs @last',
    'actorctl logs wordcount -f',
    'actorctl logs wordcount reverse -f',
    'actorctl logs wordcount@last:failed --tail 20 -t',
  ],
  run: async (context, { targets }, options) => {
    if (!context.output.allowFields(lineFields)) return 0;
    const { timeout, follow } = options;
    refuseLimitWithout('--follow', follow, timeout);
    const goesOn = 'executions that have not ended continue';
    if (follow) context.output.watchReader();
    const limit = { timeout, goesOn, hint: `actorctl logs ${targets.join(' ')} -f` };
    return (await withTimeout(context, limit, (within) => showLogs(within, targets, options))) ?? 0;
  },
});
