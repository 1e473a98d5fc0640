// `executions`: list, show, logs and halt; the other verbs have their own files.

import type { CommandContext } from '../../context.ts';
import { executionStatuses } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import { parseTime } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { nameRows } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { flag, optional, parsed, required, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { resolveExecution } from '../framework/resolve-execution.ts';
import { newestExecutions, wanted } from '../framework/search-rows.ts';
import { followTimeout, refuseLimitWithout, withTimeout } from '../framework/time-limit.ts';
import { executionRowView } from '../framework/views.ts';
import { executionView } from './execution-view.ts';
import { executionsHalt } from './executions-halt.ts';
import { executionsRerun } from './executions-rerun.ts';
import { executionsResult } from './executions-result.ts';
import { executionsSearch } from './executions-search.ts';
import { executionsStats } from './executions-stats.ts';
import { executionsWait } from './executions-wait.ts';
import { hasFailed } from './wait-for-outcome.ts';

/** Time between two reads of a list that is watched, in milliseconds. */
const POLL_MS = 1_000;

/**
 * Shows a list until a signal arrives. On a terminal it redraws the list; otherwise it prints each new or changed row
 * as a line.
 * @param seen returns the parts of a row whose change is printed, without values that grow continuously
 */
export const watchRows = async <T>(
  { output, sleep, signal }: Pick<CommandContext, 'output' | 'sleep' | 'signal'>,
  read: () => Promise<readonly T[]>,
  view: View<T>,
  seen: (row: T) => unknown,
): Promise<void> => {
  if (view.fields !== undefined && !output.allowFields(view.fields)) return;
  output.watchReader();
  const show = output.watch(view);
  let before = new Map<string, string>();
  try {
    for (;;) {
      const rows = await read();
      const now = new Map(rows.map((row) => [view.id(row), JSON.stringify(seen(row))]));
      const changed = rows.filter((row) => before.get(view.id(row)) !== now.get(view.id(row)));
      before = now;
      show(rows, [...changed].reverse());
      await sleep(POLL_MS);
    }
  } catch (error) {
    if (!signal.aborted || !(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
  }
};

/** Reads a status in any case. @throws CliFailure USAGE with the nearest status */
const statusOf = (word: string, option: string): string => {
  const status = executionStatuses.find((each) => each === word.toUpperCase());
  if (status !== undefined) return status;
  const meant = nearest(word.toUpperCase(), executionStatuses);
  throw usage(
    `${option} must be one of ${executionStatuses.join(', ')}, not "${word}"`,
    meant === undefined ? undefined : `did you mean ${meant}?`,
  );
};

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List executions, newest first',
  operations: ['executions.list', 'search.find'],
  args: { actor: optional('actor (default: all actors)', 'actor') },
  options: {
    since: text('--since <time>', 'only executions received since: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
    status: parsed('--status <status>', 'only executions with this status', statusOf, executionStatuses),
    failed: flag('--failed', 'only failed executions'),
    watch: flag(
      '--watch',
      'continue until Ctrl-C: redraw the list on a terminal, print new and changed rows in a pipe',
    ),
    timeout: followTimeout,
  },
  list: true,
  examples: ['actorctl executions list', 'actorctl executions list wordcount --failed --since 1h'],
  run: async (context, { actor: reference }, { since, status, failed, watch, timeout }) => {
    refuseLimitWithout('--watch', watch, timeout);
    const actor = reference === undefined ? undefined : await resolveActor(context, reference);
    const conditions = {
      ...(since !== undefined && {
        'messageReceivedTime.gte': new Date(parseTime(since, await context.serviceClock.ask())).toISOString(),
      }),
      ...(status !== undefined && { status }),
    };
    // Failure depends on several fields, so the service cannot filter by it.
    const { selection } = context.output;
    // A list that is redrawn continuously has no note about further rows.
    const most = failed
      ? Number.MAX_SAFE_INTEGER
      : watch && selection?.byDefault
        ? wanted(context) - 1
        : wanted(context);
    const readFrom = async (from: CommandContext) => {
      const rows = await newestExecutions(from, { ...(actor && { actorId: actor.id }), conditions }, most);
      return nameRows(from, failed ? rows.filter(hasFailed) : rows);
    };
    if (!watch) context.output.rows(await readFrom(context), executionRowView);
    else {
      await withTimeout(context, { timeout, goesOn: 'executions that have not ended continue' }, (within) => {
        let { call } = within;
        return watchRows(
          within,
          async () => {
            const rows = await readFrom({ ...within, call });
            // A service that cannot be reached at the start is an error. Later reads wait for it.
            call = within.retryingCall();
            return rows;
          },
          executionRowView,
          ({ runtimeMs: _, ...row }) => row,
        );
      });
    }
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show an execution',
  operations: ['executions.show', 'executions.find'],
  args: { execution: required('execution', 'execution') },
  examples: ['actorctl executions show @last', 'actorctl executions show wordcount@last -o json'],
  run: async (context, { execution }) => {
    const found = await resolveExecution(context, execution);
    const [row = found] = await nameRows(context, [found]);
    context.output.item(row, executionView);
    return 0;
  },
});

const logs: LeafEntry = {
  name: 'logs',
  aliases: [],
  summary: 'Show the logs of executions',
  load: async () => (await import('./logs/logs.ts')).logsCommand,
};

const shell: LeafEntry = {
  name: 'shell',
  aliases: [],
  summary: 'Open a shell with what an execution had',
  load: async () => (await import('./shell/executions-shell.ts')).executionsShell,
};

export const executionsCommand: readonly LeafEntry[] = [
  list,
  executionsSearch,
  show,
  logs,
  executionsWait,
  executionsHalt,
  executionsRerun,
  shell,
  executionsResult,
  executionsStats,
];
