// Runs one test in an instance: state, messages, time, and the comparison of what happened.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf as textOf } from '../../failure.ts';
import { messageOf, sendMessage } from '../executions/message-input.ts';
import { settleFrom, waitUntilSettled } from '../executions/settle.ts';
import { formatOutcome, limitFrom, type Outcome } from '../executions/wait-for-outcome.ts';
import { type Difference, differencesOf, type TestRun } from './expectations.ts';
import type { Test } from './test-files.ts';
import type { Receiver } from './webhook-posts.ts';

export interface TestResult {
  readonly test: Test;
  readonly differences: readonly Difference[];
  /** Why the test could not be completed. */
  readonly error?: string;
  /** The logs of a failed test. */
  readonly logs: readonly { readonly actor: string; readonly run: TestRun }[];
  readonly durationMs: number;
}

/** Most scheduled messages of one test. */
const MOST_DUE = 10_000;

const bytesOf = (message: unknown): Buffer =>
  Buffer.from(typeof message === 'string' ? message : JSON.stringify(message ?? ''));

export interface TestInstance {
  readonly context: CommandContext;
  /** Ids of the actors by their names in the file. */
  readonly ids: ReadonlyMap<string, string>;
  readonly receiver: Receiver;
}

const executionIds = async ({ context, ids }: TestInstance): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found = new Map<string, readonly string[]>();
  for (const [actor, actorId] of ids) {
    const { executions } = (await context.call('executions.list', { params: { actorId } })) as {
      readonly executions: readonly { readonly id: string }[];
    };
    found.set(
      actor,
      executions.map(({ id }) => id),
    );
  }
  return found;
};

/** The runs of each actor since the beginning of the test. */
const runsSince = async (
  instance: TestInstance,
  before: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly TestRun[]>> => {
  const { context, ids } = instance;
  const runs = new Map<string, TestRun[]>();
  for (const [actor, all] of await executionIds(instance)) {
    const earlier = new Set(before.get(actor));
    const own: TestRun[] = [];
    for (const executionId of all.filter((id) => !earlier.has(id))) {
      const params = { actorId: ids.get(actor) ?? '', executionId };
      const { status, exitCode, statusMessage } = await context.call('executions.show', { params });
      const { logs } = await context.call('executions.logs', { params });
      own.push({ id: executionId, status, exitCode, statusMessage, log: logs });
    }
    runs.set(actor, own);
  }
  return runs;
};

const perform = async (
  instance: TestInstance,
  { document, sends, advance, timeoutMs }: Test,
): Promise<readonly string[]> => {
  const { context, ids, receiver } = instance;
  const { call } = context;
  const idOf = (actor: string): string => ids.get(actor) ?? actor;
  // Events of the start, like READY along links, are no part of the test.
  await waitUntilSettled(context, await settleFrom(context), limitFrom(context, timeoutMs));
  receiver.clear();
  for (const [actor, body] of Object.entries(document.state ?? {})) {
    await call('state.set', { params: { actorId: idOf(actor) }, body });
  }
  const from = await settleFrom(context);
  const limit = limitFrom(context, timeoutMs);
  for (const { to, message, env = {} } of sends) {
    await sendMessage(context, { id: idOf(to) }, messageOf(bytesOf(message)), env);
  }
  let settlement = await waitUntilSettled(context, from, limit);
  if (advance !== undefined) {
    const moved = await call('clock.move', { body: { by: advance, most: MOST_DUE }, timeoutMs: 0 });
    if (!moved.moved) throw new CliFailure('VALIDATION', `more than ${MOST_DUE} cron messages would be sent`);
    settlement = await waitUntilSettled(context, from, limit);
  }
  return settlement.failures.flatMap((failure) => {
    if (failure.linkProblem !== undefined) return [`link of ${failure.actorId}: ${failure.linkProblem}`];
    return failure.kind === 'delivery'
      ? [`delivery ${failure.id}: ${failure.error ?? formatOutcome(failure as Outcome)}`]
      : [];
  });
};

/** Runs a test. A failure of an actor or of the instance is its result. @throws CliFailure CANCELLED */
export const runTest = async (instance: TestInstance, test: Test): Promise<TestResult> => {
  const { context, ids, receiver } = instance;
  const begun = context.now();
  let before: ReadonlyMap<string, readonly string[]> = new Map();
  try {
    await waitUntilSettled(context, await settleFrom(context), limitFrom(context, test.timeoutMs));
    before = await executionIds(instance);
    const failures = await perform(instance, test);
    const durationMs = context.now() - begun;
    const runs = await runsSince(instance, before);
    const states = new Map<string, unknown>();
    for (const [actor, { state }] of Object.entries(test.document.expect ?? {})) {
      if (state === undefined) continue;
      states.set(actor, (await context.call('state.show', { params: { actorId: ids.get(actor) ?? '' } })).state);
    }
    const differences = differencesOf(test.document, { runs, states, posts: receiver.posts(), failures });
    const logs = differences.length === 0 ? [] : logsOf(runs);
    return { test, differences, logs, durationMs };
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
    const runs = await runsSince(instance, before).catch(() => new Map<string, readonly TestRun[]>());
    return { test, differences: [], error: textOf(error), logs: logsOf(runs), durationMs: context.now() - begun };
  }
};

const logsOf = (runs: ReadonlyMap<string, readonly TestRun[]>): TestResult['logs'] =>
  [...runs].flatMap(([actor, own]) => own.map((run) => ({ actor, run })));
