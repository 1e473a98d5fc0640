// `executions wait`: waits until executions have ended or a condition is true.
import type { CommandContext } from '../../context.ts';
import { executionStatuses, fields } from '../../contract/for-client.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { CliFailure, usage } from '../../failure.ts';
import { shellWord } from '../../local/single-quoted.ts';
import { checkField } from '../../ui/format/fields.ts';
import { compileJq } from '../../ui/format/jq.ts';
import { toJson } from '../../ui/format/json.ts';
import { snakeKeys, snakeName } from '../../ui/format/names.ts';
import { command } from '../framework/command.ts';
import { duration, flag, parsed, several } from '../framework/option.ts';
import { resolveExecution } from '../framework/resolve-execution.ts';
import type { Execution } from '../framework/views.ts';
import {
  createWaitNotes,
  DEFAULT_WAIT_MS,
  exitCodeOf,
  formatOutcome,
  gaveUp,
  isFinal,
  limitFrom,
  type TimeLimit,
  waitUntil,
} from './wait-for-outcome.ts';

const statuses: readonly string[] = executionStatuses;
const executionFields = fields.execution.map(snakeName);

interface Goal {
  readonly text: string;
  readonly reached: (execution: Execution) => boolean;
}

/**
 * The fields that an expression without steps reads, like `.exit_code == 3 and .reason`. An expression with steps reads
 * fields of other values too.
 */
const fieldsOf = (expression: string): readonly string[] =>
  /[|[{$"#]|\.\.|\b(?:as|def|map|reduce|foreach)\b/.test(expression)
    ? []
    : [...expression.matchAll(/(?<![\w.)?])\.([A-Za-z_]\w*)/g)].map(([, name = '']) => name);

/** Reads a status or a jq expression. @throws CliFailure USAGE, including for a field that executions do not have */
const goalOf = async (text: string): Promise<Goal> => {
  const status = text.toUpperCase();
  if (statuses.includes(status)) return { text, reached: (execution) => execution.status === status };
  const filter = await compileJq(text);
  for (const name of fieldsOf(text)) checkField(name, executionFields, '--for');
  return {
    text,
    reached: (execution) => filter(toJson(snakeKeys(execution))).some((value) => value !== null && value !== false),
  };
};

/** Waits until an execution has ended or meets the goal. */
export const waitFor = async (
  context: CommandContext,
  execution: Execution,
  { timeoutMs, until }: TimeLimit,
  goal?: Goal,
): Promise<Execution> => {
  const params = { actorId: execution.actorId, executionId: execution.id };
  const call = context.retryingCall({ until });
  const tell = createWaitNotes(context);
  const { state, settled } = await waitUntil(context, {
    read: async () => {
      const state = await call('executions.show', { params });
      tell(state);
      return state;
    },
    settled: (state) => isFinal(state) || goal?.reached(state) === true,
    until,
  });
  const name = `${state.actorId}/${state.id}`;
  const details = { execution_id: state.id, status: state.status };
  if (!settled) {
    const awaited = goal === undefined ? '' : ` --for ${shellWord(goal.text)}`;
    throw gaveUp(
      `${state.id} is still ${formatStatus(state)}`,
      timeoutMs,
      `actorctl executions wait ${name}${awaited}`,
      details,
    );
  }
  if (goal === undefined || goal.reached(state)) return state;
  throw new CliFailure(
    'EXECUTION_FAILED',
    `${state.id} has ended without reaching ${goal.text}: ${formatOutcome(state)}`,
    {
      hint: `actorctl executions show ${name}`,
      details,
    },
  );
};

/** Waits for the effects of executions, or for everything that has not ended. */
const settled = async (context: CommandContext, references: readonly string[], limit: TimeLimit): Promise<number> => {
  const { exitCodeOfSettlement, settleFrom, settlementLines, settlementValue, waitUntilSettled } = await import(
    './settle.ts'
  );
  const named = await Promise.all(references.map((reference) => resolveExecution(context, reference)));
  const awaited =
    named.length === 0 ? [await settleFrom(context)] : named.map(({ id, actorId }) => ({ actorId, executionId: id }));
  const settlements = await Promise.all(awaited.map((each) => waitUntilSettled(context, each, limit)));
  const lines: string[] = [];
  for (const settlement of settlements) lines.push(...(await settlementLines(context, settlement)));
  const values = settlements.map(settlementValue);
  context.output.report(lines.join('\n'), values.length === 1 ? values[0] : values);
  return Math.max(...settlements.map(exitCodeOfSettlement));
};

export const executionsWait = command({
  name: 'wait',
  summary: 'Wait until executions have ended',
  details:
    'Exit code 0 if all succeeded, 11 if one failed, 10 if one ended in ERROR, 8 if the time limit was reached.\n--settle waits for all that the executions caused, too: messages along links, deliveries to webhooks, and their effects. Without an execution it waits for everything that has not ended yet. Exit code 11 if any of it failed.',
  operations: ['executions.show', 'executions.settle', 'executions.settleAll'],
  args: { executions: { ...several('executions', 'execution'), required: false } },
  options: {
    settle: flag('--settle', 'wait for everything that the executions caused, too'),
    for: parsed(
      '--for <goal>',
      'wait until the execution has this status, or until this jq expression is true for it, then exit with 0',
      (goal) => goal,
      {
        like: executionStatuses,
      },
    ),
    timeout: duration('--timeout <duration>', 'time limit (default 10m), exit code 8 when it is over'),
    any: flag('--any', 'wait only until the first execution ends'),
  },
  examples: [
    'actorctl executions wait @last',
    'actorctl executions wait wordcount@last --for RUNNING --timeout 30s',
    "actorctl executions wait @last --for '.exit_code == 3'",
    'actorctl executions wait intake@last --settle',
  ],
  run: async (context, { executions: references }, { for: awaited, timeout = DEFAULT_WAIT_MS, any, settle }) => {
    const { output } = context;
    const limit = limitFrom(context, timeout);
    if (settle && (any || awaited !== undefined)) throw usage('--settle cannot be used with --any or --for');
    if (settle) return settled(context, references, limit);
    if (references.length === 0) {
      throw usage(
        'missing required argument "executions"',
        'to wait for everything that has not ended: actorctl executions wait --settle',
      );
    }
    const goal = awaited === undefined ? undefined : await goalOf(awaited);
    const found = await Promise.all(references.map((reference) => resolveExecution(context, reference)));
    const waits = found.map((execution) => waitFor(context, execution, limit, goal));
    const ended = any ? [await Promise.race(waits)] : await Promise.all(waits);
    output.report(
      ended.map((each) => `${each.id}  ${formatOutcome(each)}`).join('\n'),
      references.length === 1 || any ? ended[0] : ended,
      ended.map(({ id }) => id).join('\n'),
    );
    return goal === undefined ? (ended.map((each) => exitCodeOf(each)).find((code) => code !== 0) ?? 0) : 0;
  },
});
