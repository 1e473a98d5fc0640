// `run`: sends a message, shows the log and exits with the outcome of the execution.
import type { CommandContext } from '../../context.ts';
import { messageOf, stoppedAfter, usage } from '../../failure.ts';
import { fillTarget } from '../../local/user-files.ts';
import { action } from '../framework/command.ts';
import { actorHere, choice, duration, flag } from '../framework/option.ts';
import { type Receiver, resolveReceiver } from '../framework/resolve-actor.ts';
import { outputFile } from './executions-result.ts';
import { follow, waitForEnd } from './follow-run.ts';
import { lineFields } from './logs/log-writer.ts';
import {
  afterSubmission,
  messageOptions,
  type OutgoingMessage,
  readMessages,
  sendMessage,
  warnOfIgnored,
} from './message-input.ts';
import { noResult, resultValue, takeResults } from './result-reader.ts';
import { lastLines, reportRun, runFields, runValue } from './run-report.ts';
import {
  actorInError,
  DEFAULT_WAIT_MS,
  type ExitCodeRule,
  exitCodeOf,
  hasFailed,
  limitFrom,
  type TimeLimit,
} from './wait-for-outcome.ts';

/** Lines of its log that a failed execution shows with `--no-logs`. */
const LOG_TAIL = 20;

interface RunOptions {
  readonly limit: TimeLimit;
  readonly logs: boolean;
  readonly rule: ExitCodeRule;
  /** Receives each result as soon as it is read. Undefined if results are not read. */
  readonly keep?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  /** Whether to wait for the effects of the execution too. */
  readonly settle: boolean;
  /** Whether to open a shell in an execution that has failed. */
  readonly shell: boolean;
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

/** Opens a shell. If it cannot be opened, the outcome of the run is still that of the command. */
const openShellAfter = async (context: CommandContext, executionId: string): Promise<void> => {
  const { openShell } = await import('./shell/open-shell.ts');
  try {
    await openShell(context, executionId, []);
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.output.warn(messageOf(error));
  }
};

/** Sends a message and waits for the end. Returns the exit code and the object for scripts. */
const runOne = async (
  context: CommandContext,
  actor: Receiver,
  message: OutgoingMessage,
  env: Readonly<Record<string, string>>,
  { limit, logs, rule, keep, settle, shell, first }: RunOptions,
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
  if (shell && hasFailed(execution)) await openShellAfter(context, executionId);
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
  operations: [
    'messages.send',
    'executions.show',
    'executions.logs',
    'executions.settle',
    'results.take',
    'shells.open',
  ],
  args: { actor: actorHere },
  options: {
    ...messageOptions,
    timeout: duration('--timeout <duration>', 'time limit (default 10m per execution), exit code 8 when it is reached'),
    settle: flag('--settle', 'wait until all that the execution caused has ended'),
    shellOnFailure: flag('--shell-on-failure', 'open a shell with what the execution had, if it fails (on a terminal)'),
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
    'actorctl run wordcount -f book.txt --shell-on-failure',
  ],
  run: async (context, { actor: reference }, options) => {
    const { output } = context;
    if (options.shellOnFailure && (output.printsValue || !(await context.terminal()).isInteractive))
      throw usage(
        '--shell-on-failure opens a shell at once, so it needs a terminal and text output',
        'run it without the flag, then: actorctl executions shell @last:failed -- COMMAND',
      );
    const whole = options.timeout === undefined ? undefined : limitFrom(context, options.timeout);
    const fields = output.format === 'ndjson' ? ['type', ...lineFields, ...runFields] : runFields;
    if (!output.allowFields([...new Set(fields)])) return 0;
    const { messages, env } = await readMessages(context, options);
    if (options.shellOnFailure && messages.length > 1) throw usage('--shell-on-failure is for a single message');
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
          shell: options.shellOnFailure,
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
