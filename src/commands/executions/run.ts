// `run`: sends a message, shows the log and exits with the outcome of the execution.
import type { CommandContext } from '../../context.ts';
import { stoppedAfter } from '../../failure.ts';
import { fillTarget } from '../../local/user-files.ts';
import { action } from '../framework/command.ts';
import { actorHere, choice, duration, flag } from '../framework/option.ts';
import { type Receiver, resolveReceiver } from '../framework/resolve-actor.ts';
import { between, type Execution } from '../framework/views.ts';
import { outputFile } from './executions-result.ts';
import { follow, waitForEnd } from './follow-run.ts';
import { lineFields } from './log-writer.ts';
import {
  afterSubmission,
  type MessageType,
  messageOptions,
  type OutgoingMessage,
  readMessages,
  type Sent,
  sendMessage,
  warnOfIgnored,
} from './message-input.ts';
import { noResult, resultValue, takeResults } from './result-reader.ts';
import {
  actorInError,
  DEFAULT_WAIT_MS,
  type ExitCodeRule,
  exitCodeOf,
  formatFigures,
  formatOutcome,
  hasFailed,
  limitFrom,
  type TimeLimit,
} from './wait-for-outcome.ts';

/** Lines of its log that a failed execution shows with `--no-logs`. */
const LOG_TAIL = 20;

export const lastLines = (text: string, count: number): string => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.slice(-count).join('\n')}\n`;
};

/** Prints the outcome and, after a failure, the command that shows the log. */
const reportRun = ({ output }: Pick<CommandContext, 'output'>, execution: Execution): void => {
  output.note(
    [execution.id, formatOutcome(execution), formatFigures(execution)].filter((part) => part !== '').join('  '),
  );
  if (hasFailed(execution)) output.next(`actorctl logs ${execution.actorId}/${execution.id}`);
};

/**
 * The fields of the object for scripts. `results` is present only if results are requested, and the last three only
 * with `--settle`.
 */
export const runFields: readonly string[] = [
  ...['execution_id', 'actor_id', 'status', 'exit_code', 'reason', 'status_message', 'start_time', 'end_time'],
  ...['runtime_ms', 'queued_ms', 'message_type', 'ignored_variables', 'logs', 'results'],
  ...['total', 'failures', 'effects'],
];

/**
 * Builds the object for scripts. Keys without a value are left out.
 * @param shown `logs` is the whole log, if it was requested and not already shown; `sent` is the response to the
 * message
 * @see docs/cli.md#the-result-of-run
 */
export const runValue = (
  execution: Execution,
  type: MessageType,
  { logs, sent }: { readonly logs: string | undefined; readonly sent: Pick<Sent, 'ignored_variables'> },
): Readonly<Record<string, unknown>> => {
  const { id, actorId, status, exitCode, reason, statusMessage, startTime, finishTime, runtimeMs } = execution;
  const queued = between(execution.messageReceivedTime, startTime);
  return {
    execution_id: id,
    actor_id: actorId,
    status,
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(reason !== undefined && { reason }),
    ...(statusMessage !== undefined && { status_message: statusMessage }),
    ...(startTime !== undefined && { start_time: startTime }),
    ...(finishTime !== undefined && { end_time: finishTime }),
    ...(runtimeMs !== undefined && { runtime_ms: runtimeMs }),
    ...(queued !== undefined && { queued_ms: queued }),
    message_type: type,
    ...(sent.ignored_variables && { ignored_variables: sent.ignored_variables }),
    ...(logs !== undefined && { logs }),
  };
};

interface RunOptions {
  readonly limit: TimeLimit;
  readonly logs: boolean;
  readonly rule: ExitCodeRule;
  /** Receives each result as soon as it is read. Undefined if results are not read. */
  readonly keep?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  /** Whether to wait for the effects of the execution too. */
  readonly settle: boolean;
  /** True for the first of several messages. All of them have the same variables. */
  readonly first: boolean;
}

/** True if the output format can show the log while it grows: text, or ndjson, which has a line for each event. */
const streams = ({ output }: Pick<CommandContext, 'output'>): boolean =>
  output.format === 'ndjson' || (!output.printsValue && (output.format === 'table' || output.format === 'wide'));

interface Ran {
  readonly exit: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Waits for the effects of an execution and prints what failed. */
const untilSettled = async (
  context: CommandContext,
  params: { readonly actorId: string; readonly executionId: string },
  limit: TimeLimit,
): Promise<Ran> => {
  const { exitCodeOfSettlement, settlementLines, settlementValue, waitUntilSettled } = await import('./settle.ts');
  const settlement = await waitUntilSettled(context, params, limit);
  for (const line of await settlementLines(context, settlement)) context.output.note(line);
  return { exit: exitCodeOfSettlement(settlement), value: settlementValue(settlement) };
};

/** Sends a message and waits for the end. Returns the exit code and the object for scripts. */
const runOne = async (
  context: CommandContext,
  actor: Receiver,
  message: OutgoingMessage,
  env: Readonly<Record<string, string>>,
  { limit, logs, rule, keep, settle, first }: RunOptions,
): Promise<Ran> => {
  const { output } = context;
  const sent = await sendMessage(context, actor, message, env);
  const { executionId } = sent;
  if (first) warnOfIgnored(context, sent);
  const streamed = logs && streams(context);
  output.note(`${executionId}  ${actor.name || actor.id}  waiting  (${message.type} message)`);
  const params = { actorId: actor.id, executionId };
  const call = context.retryingCall({ until: limit.until });
  const within: CommandContext = { ...context, call };
  const untilEnd = streamed ? follow(within, actor, executionId, limit) : waitForEnd(within, params, limit);
  const execution = await untilEnd.catch((error: unknown) => {
    throw afterSubmission(error, params);
  });
  const wanted = streamed || (!logs && !hasFailed(execution)) ? undefined : await call('executions.logs', { params });
  if (wanted !== undefined && !logs && !output.machine) output.errorText(lastLines(wanted.logs, LOG_TAIL));
  reportRun(context, execution);
  const effects = settle ? await untilSettled(context, params, limit) : undefined;
  const exit = exitCodeOf(execution, rule) || (effects?.exit ?? 0);
  const value = {
    ...runValue(execution, message.type, { logs: logs ? wanted?.logs : undefined, sent }),
    ...effects?.value,
  };
  if (keep === undefined) return { exit, value };
  const taken: unknown[] = [];
  const results = await takeResults(context, params, {
    first: false,
    keep: async (bytes) => {
      await keep(bytes);
      taken.push(resultValue(bytes));
    },
  }).catch((error: unknown) => {
    // An error in JSON format contains the results that were read before the error.
    if (taken.length > 0 && output.printsValue && !output.machine) output.result('', { ...value, results: taken });
    throw error;
  });
  if (results.length === 0 && exit === 0) throw noResult(params);
  return { exit, value: { ...value, results: results.map(resultValue) } };
};

export const runCommand = action({
  details:
    'Shows the log while it grows. Exit code 11 if the actor failed, 10 if its execution ended in ERROR, 8 if the time limit was reached. With --settle also 11 if an execution or a webhook delivery that it caused failed.',
  operations: ['messages.send', 'executions.show', 'executions.logs', 'executions.settle', 'results.take'],
  args: { actor: actorHere },
  options: {
    ...messageOptions,
    timeout: duration('--timeout <duration>', 'time limit (default 10m per execution), exit code 8 when it is reached'),
    settle: flag('--settle', 'wait until all that the execution caused has ended'),
    logs: flag('--no-logs', 'show only the last 20 lines, if the execution fails'),
    result: flag('--result', 'print only the results of the execution, as raw bytes'),
    outputFile,
    exitCode: choice('--exit-code <rule>', 'standard: 11 if the actor failed; propagate: the exit code of the actor', [
      'standard',
      'propagate',
    ] as const),
  },
  examples: [
    'actorctl run wordcount -m "hello world"',
    'actorctl run wordcount --file book.txt --exit-code propagate',
    'actorctl run wordcount -m hi --json | jq .exit_code',
    'actorctl run intake -m hi --settle',
    'actorctl run thumbnail -f photo.jpg -O small.jpg',
  ],
  run: async (context, { actor: reference }, options) => {
    const { output } = context;
    const whole = options.timeout === undefined ? undefined : limitFrom(context, options.timeout);
    const fields = output.format === 'ndjson' ? ['type', ...lineFields, ...runFields] : runFields;
    if (!output.allowFields([...new Set(fields)])) return 0;
    const { messages, env } = await readMessages(context, options);
    const receiver = await resolveReceiver(context, reference);
    if (receiver.actor?.status === 'ERROR') throw actorInError(receiver.actor);
    const values: Readonly<Record<string, unknown>>[] = [];
    const { outputFile: file, result } = options;
    const takes = result || file !== undefined;
    const printsBytes = result && file === undefined && !output.printsValue;
    // With a streaming format the log and the outcome are already printed.
    const tell = (): void => {
      if (streams(context) || printsBytes) return;
      const ids = values.map((value) => String(value['execution_id'])).join('\n');
      output.result(ids, values.length === 1 ? values[0] : values, ids);
    };
    const runAll = async (keep: RunOptions['keep']): Promise<number> => {
      let exit = 0;
      for (const [index, message] of messages.entries()) {
        const one = await runOne(context, receiver, message, env, {
          limit: whole ?? limitFrom(context, DEFAULT_WAIT_MS),
          logs: options.logs && !takes,
          keep,
          settle: options.settle,
          first: index === 0,
          rule: options.exitCode ?? 'standard',
        }).catch((error: unknown) => {
          // For a single run, the failure itself is the outcome.
          if (index === 0) throw error;
          // With a JSON format, a failure has no result: the runs are in its details.
          if (!output.machine) tell();
          throw stoppedAfter(error, `${index} of ${messages.length} runs ended`, {
            ...(output.format !== 'ndjson' && { runs: values }),
          });
        });
        if (exit === 0) exit = one.exit;
        if (output.format === 'ndjson') await output.event('', { type: 'result', ...one.value });
        else values.push(one.value);
      }
      return exit;
    };
    const keep = output.printsValue ? async () => undefined : output.bytes;
    // The file is opened before the first message is sent.
    const exit =
      file === undefined ? await runAll(result ? keep : undefined) : await fillTarget(file, context.cwd, runAll);
    tell();
    return exit;
  },
});
