// `executions`: the runs of actors: list, show, logs, wait, halt, rerun.
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { parseDuration, parseTime, wordDuration } from '../ui/format/time.ts';
import { command, group } from './command.ts';
import { executionsStats } from './executions-stats.ts';
import { newestExecutions, wanted } from './find.ts';
import { resolveActor, resolveExecution } from './identify.ts';
import { logOptions, showLogs } from './logs.ts';
import { flag, optional, parsed, required, several, text } from './option.ts';
import { DEFAULT_WAIT_MS, exitCodeOf, gaveUp, hasFailed, isFinal, waitUntil, wordOutcome } from './outcome.ts';
import { type Execution, executionRowView, executionView } from './views.ts';

/** Longest wait for a halted execution, in milliseconds: ten seconds until SIGKILL, and some to clean up. */
const HALT_WAIT_MS = 30_000;

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'Lists the executions of an actor, or of all, newest first.',
  operations: ['executions.list', 'search.find'],
  args: { actor: optional('actor; all when left out') },
  options: {
    since: text('--since <time>', 'only those received later: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
    status: text('--status <status>', 'only those of this status'),
    failed: flag('--failed', 'only those that failed'),
  },
  list: true,
  examples: ['actorctl executions list', 'actorctl executions list wordcount --failed --since 1h'],
  run: async (context, { actor: reference }, { since, status, failed }) => {
    const actor = reference === undefined ? undefined : await resolveActor(context, reference);
    const conditions = {
      ...(since !== undefined && {
        'messageReceivedTime.gte': new Date(parseTime(since, context.now())).toISOString(),
      }),
      ...(status !== undefined && { status: status.toUpperCase() }),
    };
    // What counts as failed takes more than one field, so it is decided here.
    const most = failed ? Number.MAX_SAFE_INTEGER : wanted(context);
    const rows = await newestExecutions(context, { ...(actor && { actorId: actor.id }), conditions }, most);
    context.output.rows(failed ? rows.filter(hasFailed) : rows, executionRowView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Shows one execution.',
  operations: ['executions.show'],
  args: { execution: required('execution') },
  examples: ['actorctl executions show @last', 'actorctl executions show wordcount@last -o json'],
  run: async (context, { execution }) => {
    context.output.item(await resolveExecution(context, execution), executionView);
    return 0;
  },
});

const logs = command({
  name: 'logs',
  summary: 'Shows what an execution, or the latest execution of an actor, wrote.',
  operations: ['executions.logs'],
  args: { target: required('actor or execution') },
  options: logOptions,
  run: (context, { target }, options) => showLogs(context, target, options),
});

const waitFor = async (context: Context, execution: Execution, timeoutMs: number): Promise<Execution> => {
  const params = { actorId: execution.actorId, executionId: execution.id };
  const { state, settled } = await waitUntil(context, {
    read: () => context.call('executions.show', { params }),
    settled: isFinal,
    timeoutMs,
  });
  if (settled) return state;
  throw gaveUp(
    `${state.id} is still ${state.status}`,
    timeoutMs,
    `actorctl executions show ${state.actorId}/${state.id}`,
    {
      execution_id: state.id,
      status: state.status,
    },
  );
};

const wait = command({
  name: 'wait',
  summary: 'Waits until executions have ended; exit code 11 when one failed, 8 when the time is over first.',
  operations: ['executions.show'],
  args: { executions: several('executions') },
  options: {
    timeout: parsed('--timeout <duration>', 'give up after so long; the default is 10m', (value, name) =>
      parseDuration(value, `a duration for ${name}`),
    ),
    any: flag('--any', 'the first one that ends is enough'),
  },
  examples: ['actorctl executions wait @last', 'actorctl executions wait wordcount@last --timeout 30s'],
  run: async (context, { executions: references }, { timeout = DEFAULT_WAIT_MS, any }) => {
    const { output } = context;
    const found = await Promise.all(references.map((reference) => resolveExecution(context, reference)));
    const waits = found.map((execution) => waitFor(context, execution, timeout));
    const ended = any ? [await Promise.race(waits)] : await Promise.all(waits);
    output.result(
      ended.map((each) => `${each.id}  ${wordOutcome(each)}`).join('\n'),
      references.length === 1 || any ? ended[0] : ended,
      ended.map(({ id }) => id).join('\n'),
    );
    return ended.map((each) => exitCodeOf(each)).find((code) => code !== 0) ?? 0;
  },
});

const halt = command({
  name: 'halt',
  summary: 'Stops a running execution: SIGTERM, and SIGKILL ten seconds later.',
  operations: ['executions.halt'],
  args: { execution: required('execution') },
  examples: ['actorctl executions halt @last --yes'],
  run: async (context, { execution: reference }) => {
    const { call, output, prompt, now } = context;
    const execution = await resolveExecution(context, reference);
    if (isFinal(execution)) {
      throw new CliFailure('NOT_RUNNING', `execution ${execution.id} has ended: ${wordOutcome(execution)}`, {
        hint: `actorctl executions show ${execution.actorId}/${execution.id}`,
      });
    }
    await prompt.confirm(`Halt execution ${execution.id} of actor ${execution.actorId}?`);
    const begun = now();
    await call('executions.halt', { params: { actorId: execution.actorId, executionId: execution.id } });
    const ended = await waitFor(context, execution, HALT_WAIT_MS);
    output.result(
      `Halted ${ended.id} after ${wordDuration(now() - begun)}`,
      {
        execution_id: ended.id,
        actor_id: ended.actorId,
        status: ended.status,
        ...(ended.reason && { reason: ended.reason }),
      },
      ended.id,
    );
    return 0;
  },
});

const rerun = command({
  name: 'rerun',
  summary: 'Sends the message of an execution once more, with its variables, to the actor as it is now.',
  operations: ['executions.rerun'],
  args: { execution: required('execution') },
  options: { run: flag('--run', 'wait for its end; exit code 11 when it fails') },
  examples: ['actorctl executions rerun @last:failed --run'],
  run: async (context, { execution: reference }, { run }) => {
    const { call, output } = context;
    const { id, actorId } = await resolveExecution(context, reference);
    const { executionId } = await call('executions.rerun', { params: { actorId, executionId: id } });
    const value = { execution_id: executionId, actor_id: actorId, rerun_of: id };
    if (!run) {
      output.result(`${id} -> ${executionId}`, value, executionId);
      output.next(`actorctl logs ${actorId}/${executionId} -f`);
      return 0;
    }
    const begun = await call('executions.show', { params: { actorId, executionId } });
    const ended = await waitFor(context, begun, DEFAULT_WAIT_MS);
    const { logs: log } = await call('executions.logs', { params: { actorId, executionId } });
    if (!output.machine && !output.quiet) output.errorText(log);
    output.result(
      `${id} -> ${executionId}  ${wordOutcome(ended)}`,
      { ...value, status: ended.status, logs: log },
      executionId,
    );
    return exitCodeOf(ended);
  },
});

/** `executions` */
export const executionsCommand = group(
  'executions',
  { aliases: ['execution', 'execs'], summary: 'Runs of actors, one for each message.' },
  [list, show, logs, wait, halt, rerun, executionsStats],
);
