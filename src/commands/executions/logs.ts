// `logs`: what an execution wrote, or what all executions of an actor write.
import type { CommandContext } from '../../context.ts';
import { parseTime } from '../../ui/format/time.ts';
import { action } from '../kernel/command.ts';
import { flag, integer, required, text, type ValuesOf } from '../kernel/option.ts';
import { executionsOf, resolveLogTarget } from '../kernel/resolve-actor.ts';
import type { Actor } from '../kernel/views.ts';
import { readLog } from './log-reader.ts';
import { type LogStyle, writeLog } from './log-writer.ts';
import { isFinal } from './wait-for-outcome.ts';

/** How often a follower looks for new executions of an actor, in milliseconds. */
const LOOK_MS = 500;

/** The flags of logs, wherever logs are shown. */
export const logOptions = {
  follow: flag('-f, --follow', 'go on until the execution ends; with an actor, show every execution to come'),
  tail: integer('--tail <lines>', 'only the last lines of what is there'),
  since: text('--since <time>', 'only what was written later: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
  timestamps: flag('-t, --timestamps', 'a time before each line'),
  stdout: flag('--stdout', 'only what the actor wrote to stdout'),
  stderr: flag('--stderr', 'only what the actor wrote to stderr'),
  prefix: flag('--prefix', 'the execution before each line'),
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

/** Shows every execution of an actor that runs or comes, until a signal ends it. */
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
      // What had ended before is past: `logs <execution>` shows it.
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
    await context.sleep(LOOK_MS);
  }
};

/**
 * Shows the log of an execution, or of an actor: its latest execution, with `follow` all that run and come.
 * @throws CliFailure NOT_FOUND when it is neither
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
  context.output.note(`latest execution ${latest.id}; -f follows all that come`);
  await showOne(context, target.actor.id, latest.id, options);
  return 0;
};

/** `logs <actor|execution>` */
export const logsCommand = action({
  operations: ['executions.logs'],
  args: { target: required('actor or execution') },
  options: logOptions,
  examples: ['actorctl logs @last', 'actorctl logs wordcount -f', 'actorctl logs wordcount@last:failed --tail 20 -t'],
  run: (context, { target }, options) => showLogs(context, target, options),
});
