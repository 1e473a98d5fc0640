// `run`: sends a message, shows the log while it grows, and answers with how the execution ended.
import type { CommandContext } from '../../context.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { action } from '../kernel/command.ts';
import { actorHere, choice, flag, parsed } from '../kernel/option.ts';
import { type Receiver, resolveReceiver } from '../kernel/resolve-actor.ts';
import type { Execution } from '../kernel/views.ts';
import { outputFile } from './executions-result.ts';
import { readLog } from './log-reader.ts';
import { writeLog } from './log-writer.ts';
import { messageOptions, type OutgoingMessage, readMessages, sendMessage } from './message-input.ts';
import { noResult, resultValue, takeResults } from './result-reader.ts';
import { LOG_TAIL, lastLines, reportRun, runValue } from './run-report.ts';
import {
  actorInError,
  DEFAULT_WAIT_MS,
  type ExitCodeRule,
  exitCodeOf,
  gaveUp,
  hasFailed,
  isFinal,
  waitUntil,
} from './wait-for-outcome.ts';

interface RunOptions {
  readonly waitMs: number;
  readonly logs: boolean;
  readonly rule: ExitCodeRule;
  /** The results are asked for, and nothing else of it goes to stdout. */
  readonly takes: boolean;
}

/** Whether the log may be shown as it comes: people read it so, and `ndjson` has a line for each event. */
const streams = ({ output }: Pick<CommandContext, 'output'>): boolean =>
  output.format === 'ndjson' || (!output.machine && (output.format === 'table' || output.format === 'wide'));

/** What may shorten the wait for the end. */
interface Attention {
  /** Fires when the log has ended, and with it the execution. */
  readonly hurry?: AbortSignal;
  /** Throws what makes further waiting pointless. */
  readonly check?: () => void;
}

/**
 * Waits until the execution has ended, saying meanwhile why it has not begun.
 * @throws CliFailure WAIT_TIMEOUT, ACTOR_ERROR when the actor cannot run it
 */
const waitForEnd = async (
  context: CommandContext,
  params: { readonly actorId: string; readonly executionId: string },
  waitMs: number,
  { hurry, check }: Attention = {},
): Promise<Execution> => {
  const { call, output } = context;
  const { actorId, executionId } = params;
  let told = '';
  const { state, settled } = await waitUntil(context, {
    read: async () => {
      check?.();
      const execution = await call('executions.show', { params });
      if (execution.status !== 'SUBMITTED') return execution;
      const actor = await call('actors.show', { params });
      if (actor.status === 'ERROR') throw actorInError(actor);
      if (actor.statusMessage !== '' && actor.statusMessage !== told) {
        told = actor.statusMessage;
        output.note(`${executionId}  waits: ${told}`);
      }
      return execution;
    },
    settled: isFinal,
    timeoutMs: waitMs,
    ...(hurry && { hurry }),
  });
  if (settled) return state;
  throw gaveUp(
    `${executionId} is still ${state.status}`,
    waitMs,
    `actorctl executions wait ${actorId}/${executionId}`,
    {
      execution_id: executionId,
      actor_id: actorId,
      status: state.status,
    },
  );
};

/** Shows the log until the execution ends, or until it is clear that nobody waits for it any more. */
const follow = async (
  context: CommandContext,
  actor: Receiver,
  executionId: string,
  waitMs: number,
): Promise<Execution> => {
  const over = new AbortController();
  const ended = new AbortController();
  let trouble: unknown;
  const params = { actorId: actor.id, executionId };
  const log = writeLog(context, readLog(context, { ...params, follow: true, until: over.signal }), {
    timestamps: false,
    stdout: true,
    stderr: true,
    executionId,
    mark: { type: 'log' },
  })
    .catch((error: unknown) => {
      trouble = error;
    })
    .finally(() => ended.abort());
  try {
    const execution = await waitForEnd(context, params, waitMs, {
      hurry: ended.signal,
      check: () => {
        if (trouble !== undefined) throw trouble;
      },
    });
    await log;
    if (trouble !== undefined) throw trouble;
    return execution;
  } finally {
    over.abort();
  }
};

interface Ran {
  readonly exit: number;
  readonly value: Readonly<Record<string, unknown>>;
  /** What it handed out, where that was asked for. */
  readonly results: readonly Buffer[];
}

/** Sends one message and sees it to its end; answers the exit code and what scripts get to read. */
const runOne = async (
  context: CommandContext,
  actor: Receiver,
  message: OutgoingMessage,
  env: Readonly<Record<string, string>>,
  { waitMs, logs, rule, takes }: RunOptions,
): Promise<Ran> => {
  const { output, call } = context;
  const { executionId } = await sendMessage(context, actor, message, env);
  const streamed = logs && streams(context);
  output.note(`${executionId}  ${actor.name || actor.id}  SUBMITTED  (${message.type} message)`);
  const execution = streamed
    ? await follow(context, actor, executionId, waitMs)
    : await waitForEnd(context, { actorId: actor.id, executionId }, waitMs);
  const params = { actorId: actor.id, executionId };
  const wanted = streamed || (!logs && !hasFailed(execution)) ? undefined : await call('executions.logs', { params });
  if (wanted !== undefined && !logs && !output.machine) output.errorText(lastLines(wanted.logs, LOG_TAIL));
  reportRun(context, execution);
  const exit = exitCodeOf(execution, rule);
  const value = runValue(execution, message.type, logs ? wanted?.logs : undefined);
  if (!takes) return { exit, value, results: [] };
  const results: Buffer[] = [];
  for await (const result of takeResults(context, params)) results.push(result);
  if (results.length === 0 && exit === 0) throw noResult(params);
  return { exit, value: { ...value, results: results.map(resultValue) }, results };
};

/** `run <actor>` */
export const runCommand = action({
  operations: ['messages.send', 'executions.show', 'executions.logs', 'results.take'],
  args: { actor: actorHere },
  options: {
    ...messageOptions,
    wait: parsed('--wait <duration>', 'give up after so long, with exit code 8; the default is 10m', (text, name) =>
      parseDuration(text, `a duration for ${name}`),
    ),
    logs: flag('--no-logs', 'do not show the log, unless the execution fails'),
    result: flag('--result', 'print only the results that the actor hands out, as the bytes that they are'),
    outputFile,
    exitCode: choice('--exit-code <rule>', 'standard: 11 when the actor failed; propagate: its own exit code', [
      'standard',
      'propagate',
    ] as const),
  },
  examples: [
    'actorctl run wordcount -m "hello world"',
    'actorctl run wordcount --file book.txt --exit-code propagate',
    'actorctl run wordcount -m hi --json | jq .exit_code',
    'actorctl run thumbnail -f photo.jpg -O small.jpg',
  ],
  run: async (context, { actor: reference }, options) => {
    const { output } = context;
    const { messages, env } = await readMessages(context, options);
    const receiver = await resolveReceiver(context, reference);
    if (receiver.actor?.status === 'ERROR') throw actorInError(receiver.actor);
    const values: Readonly<Record<string, unknown>>[] = [];
    const results: Buffer[] = [];
    const takes = options.result || options.outputFile !== undefined;
    let exit = 0;
    for (const message of messages) {
      const one = await runOne(context, receiver, message, env, {
        waitMs: options.wait ?? DEFAULT_WAIT_MS,
        logs: options.logs && !takes,
        takes,
        rule: options.exitCode ?? 'standard',
      });
      if (exit === 0) exit = one.exit;
      results.push(...one.results);
      if (output.format === 'ndjson') await output.event('', { type: 'result', ...one.value });
      else values.push(one.value);
    }
    if (options.outputFile !== undefined) await context.write(options.outputFile, Buffer.concat(results));
    else if (takes && !output.machine) await output.bytes(Buffer.concat(results));
    if (takes && !output.machine) return exit;
    // To people the log and the line about its end have said everything.
    if (output.format !== 'ndjson' && (output.machine || !streams(context))) {
      const ids = values.map((value) => String(value['execution_id'])).join('\n');
      output.result(ids, values.length === 1 ? values[0] : values, ids);
    }
    return exit;
  },
});
