// `executions stats`: how executions went: counts, failures, and how long they took.
import { parseTime } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { command } from '../kernel/command.ts';
import { choice, optional, text } from '../kernel/option.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';
import { newestExecutions } from '../kernel/search-rows.ts';
import { between, type ExecutionRow } from '../kernel/views.ts';
import { hasFailed, isFinal } from './wait-for-outcome.ts';

/** What rows of the answer stand for. */
const groupings = ['actor', 'status', 'hour'] as const;

/** How one group of executions went. */
export interface Stats {
  readonly group: string;
  readonly executions: number;
  /** Ended. */
  readonly finished: number;
  readonly failed: number;
  /** Failed of those that ended, 0 to 1; null when none has. */
  readonly fail_rate: number | null;
  /** Milliseconds that half, and nineteen of twenty, of those that ran did not exceed; null when none ran. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/** The nearest rank. @param sorted ascending */
const percentile = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;

export const statsOf = (group: string, rows: readonly ExecutionRow[]): Stats => {
  const finished = rows.filter(isFinal).length;
  const failed = rows.filter(hasFailed).length;
  const runtimes = rows
    .flatMap(({ startTime, finishTime }) => between(startTime, finishTime) ?? [])
    .sort((left, right) => left - right);
  return {
    group,
    executions: rows.length,
    finished,
    failed,
    fail_rate: finished === 0 ? null : failed / finished,
    p50_ms: percentile(runtimes, 0.5),
    p95_ms: percentile(runtimes, 0.95),
  };
};

const keyOf = (row: ExecutionRow, by: (typeof groupings)[number]): string => {
  if (by === 'actor') return row.actorId;
  if (by === 'status') return row.status;
  return `${(row.messageReceivedTime ?? '').slice(0, 13)}:00Z`;
};

const view: View<Stats> = {
  id: ({ group }) => group,
  fields: ['group', 'executions', 'finished', 'failed', 'fail_rate', 'p50_ms', 'p95_ms'],
  columns: [
    { header: 'GROUP', value: ({ group }) => group, whole: true },
    { header: 'EXECUTIONS', value: ({ executions }) => executions, kind: 'number' },
    { header: 'FINISHED', value: ({ finished }) => finished, kind: 'number' },
    { header: 'FAILED', value: ({ failed }) => failed, kind: 'number' },
    {
      header: 'RATE',
      value: ({ fail_rate }) => (fail_rate === null ? undefined : `${(fail_rate * 100).toFixed(1)}%`),
    },
    { header: 'P50', value: ({ p50_ms }) => p50_ms, kind: 'duration' },
    { header: 'P95', value: ({ p95_ms }) => p95_ms, kind: 'duration' },
  ],
};

/** `executions stats` */
export const executionsStats = command({
  name: 'stats',
  summary: 'Shows how the executions of an actor, or of all, went: counts, failures, run times.',
  operations: ['search.find', 'executions.list'],
  args: { actor: optional('actor; all when left out') },
  options: {
    since: text('--since <time>', 'only those received later: 24h, 2026-01-31T12:00:00Z, @<unix seconds>'),
    by: choice('--by <what>', `a row for each ${groupings.join(', ')}`, groupings),
  },
  examples: ['actorctl executions stats', 'actorctl executions stats wordcount --since 24h --by hour'],
  run: async (context, { actor: reference }, { since, by }) => {
    const rows = await newestExecutions(
      context,
      {
        ...(reference !== undefined && { actorId: (await resolveActor(context, reference)).id }),
        ...(since !== undefined && {
          conditions: { 'messageReceivedTime.gte': new Date(parseTime(since, context.now())).toISOString() },
        }),
      },
      Number.MAX_SAFE_INTEGER,
    );
    if (by === undefined) {
      context.output.item(statsOf('all', rows), view);
      return 0;
    }
    const groups = new Map<string, ExecutionRow[]>();
    for (const row of rows.toReversed()) {
      const group = keyOf(row, by);
      const members = groups.get(group);
      if (members === undefined) groups.set(group, [row]);
      else members.push(row);
    }
    context.output.rows(
      [...groups].map(([group, members]) => statsOf(group, members)),
      view,
    );
    return 0;
  },
});
