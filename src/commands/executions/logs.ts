// `logs`: shows the log of an execution or of the executions of an actor.
import type { CommandContext } from '../../context.ts';
import { parseTime } from '../../ui/format/time.ts';
import { action } from '../kernel/command.ts';
import { flag, integer, required, text, type ValuesOf } from '../kernel/option.ts';
import { executionsOf, resolveLogTarget } from '../kernel/resolve-actor.ts';
import type { Actor } from '../kernel/views.ts';
import { readLog } from './log-reader.ts';
import { type LogStyle, writeLog } from './log-writer.ts';
import { isFinal } from './wait-for-outcome.ts';

/** Time between two checks for new executions of an actor, in milliseconds. */
const POLL_MS = 500;

/** The flags of every command that shows logs. */
export const logOptions = {
  follow: flag('-f, --follow', 'continue until the execution ends; for an actor, also show every new execution'),
  tail: integer('--tail <lines>', 'only the last lines of the existing log'),
  since: text('--since <time>', 'only output since: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
  timestamps: flag('-t, --timestamps', 'print the time before each line'),
  stdout: flag('--stdout', 'only the stdout of the actor'),
  stderr: flag('--stderr', 'only the stderr of the actor'),
  prefix: flag('--prefix', 'print the execution id before each line'),
};

type LogOptions = ValuesOf<typeof logOptions>;

const styleOf = ({ now }: Pick<CommandContext, 'now'>, options: LogOptions, executionId: string): LogStyle => {
  const both = options.stdout === options.stderr;
  return {
    timestamps: options.timestamps,
    stdout: both || options.stdout,
    stderr: both || options.stderr,
    executionId,
    ...(options.tail !== undefined && { tail: options.tail }),
    ...(options.since !== undefined && { since: parseTime(options.since, now()) }),
    ...(options.prefix && { prefix: `${executionId} | ` }),
  };
};

const showOne = async (
  context: CommandContext,
  actorId: string,
  executionId: string,
  options: LogOptions,
): Promise<void> => {
  const pieces = readLog(context, { actorId, executionId, follow: options.follow });
  await writeLog(context, pieces, styleOf(context, options, executionId));
};

/** Shows the logs of all running and new executions of an actor, until a signal stops the command. */
const followActor = async (context: CommandContext, actor: Actor, options: LogOptions): Promise<number> => {
  const known = new Set<string>();
  const failed = new AbortController();
  const running = new Set<Promise<void>>();
  let trouble: unknown;
  for (let first = true; ; first = false) {
    const rows = [...(await executionsOf(context, actor.id))].reverse();
    for (const row of rows) {
      if (known.has(row.id)) continue;
      known.add(row.id);
      // Executions that had ended before are skipped. `logs <execution>` shows them.
      if (first && isFinal(row)) continue;
      const one: Promise<void> = showOne(context, actor.id, row.id, { ...options, prefix: true })
        .catch((error: unknown) => {
          trouble ??= error;
          failed.abort();
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    if (failed.signal.aborted) throw trouble;
    await context.sleep(POLL_MS);
  }
};

/**
 * Shows the log of an execution. For an actor: of its latest execution, or with `follow` of all running and new ones.
 * @throws CliFailure NOT_FOUND if the reference is neither
 */
export const showLogs = async (context: CommandContext, reference: string, options: LogOptions): Promise<number> => {
  const target = await resolveLogTarget(context, reference);
  if (target.kind === 'execution') {
    await showOne(context, target.execution.actorId, target.execution.id, options);
    return 0;
  }
  if (options.follow) return followActor(context, target.actor, options);
  const latest = (await executionsOf(context, target.actor.id))[0];
  if (latest === undefined) {
    context.output.note(`actor ${target.actor.name || target.actor.id} has not run yet`);
    return 0;
  }
  context.output.note(`latest execution ${latest.id} (to follow all new ones: -f)`);
  await showOne(context, target.actor.id, latest.id, options);
  return 0;
};

/** `logs <actor|execution>` */
export const logsCommand = action({
  details: 'With an actor: its latest execution. With an actor and -f: all running and new executions.',
  operations: ['executions.logs'],
  args: { target: required('actor or execution') },
  options: logOptions,
  examples: ['actorctl logs @last', 'actorctl logs wordcount -f', 'actorctl logs wordcount@last:failed --tail 20 -t'],
  run: (context, { target }, options) => showLogs(context, target, options),
});
