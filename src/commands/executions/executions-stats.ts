// `executions stats`: counts, failure rates and run times of executions.
import { parseTime } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { actorNames } from '../framework/actor-names.ts';
import { command } from '../framework/command.ts';
import { choice, optional, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { newestExecutions } from '../framework/search-rows.ts';
import { between, type ExecutionRow } from '../framework/views.ts';
import { hasFailed, isFinal } from './wait-for-outcome.ts';

const groupings = ['actor', 'status', 'hour'] as const;

export interface Stats {
  readonly group: string;
  /** Name of the actor if `group` is an actor id. */
  readonly actor_name?: string;
  readonly executions: number;
  readonly finished: number;
  readonly failed: number;
  /** Failed executions divided by ended executions, from 0 to 1; null if no execution has ended. */
  readonly fail_rate: number | null;
  /** Median and 95th percentile of the run time in milliseconds; null if no execution has run. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/** Percentile by the nearest-rank method. @param sorted ascending */
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
  fields: ['group', 'actor_name', 'executions', 'finished', 'failed', 'fail_rate', 'p50_ms', 'p95_ms'],
  columns: [
    { header: 'GROUP', value: ({ actor_name, group }) => actor_name ?? group, role: 'name' },
    { header: 'EXECUTIONS', value: ({ executions }) => executions, kind: 'number' },
    { header: 'FINISHED', value: ({ finished }) => finished, kind: 'number' },
    { header: 'FAILED', value: ({ failed }) => failed, kind: 'number' },
    {
      header: 'FAIL RATE',
      value: ({ fail_rate }) => (fail_rate === null ? undefined : `${(fail_rate * 100).toFixed(1)}%`),
    },
    { header: 'RUN TIME P50', value: ({ p50_ms }) => p50_ms, kind: 'duration' },
    { header: 'RUN TIME P95', value: ({ p95_ms }) => p95_ms, kind: 'duration' },
    { header: 'ID', value: ({ actor_name, group }) => actor_name && group, role: 'id', wide: true },
  ],
};

export const executionsStats = command({
  name: 'stats',
  summary: 'Show counts, failures and run times of executions',
  details:
    'The fail rate is the part of the finished executions that failed. P50 is the median of the run times; 95 % of them are at most P95.',
  operations: ['search.find', 'executions.list'],
  args: { actor: optional('actor (default: all actors)', 'actor') },
  options: {
    since: text('--since <time>', 'only executions received since: 24h, 2026-01-31T12:00:00Z, @<unix seconds>'),
    by: choice('--by <what>', `one row per ${groupings.join(', ')}`, groupings),
  },
  examples: ['actorctl executions stats', 'actorctl executions stats wordcount --since 24h --by hour'],
  run: async (context, { actor: reference }, { since, by }) => {
    const rows = await newestExecutions(
      context,
      {
        ...(reference !== undefined && { actorId: (await resolveActor(context, reference)).id }),
        ...(since !== undefined && {
          conditions: {
            'messageReceivedTime.gte': new Date(parseTime(since, await context.serviceClock.ask())).toISOString(),
          },
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
    const names = by === 'actor' ? await actorNames(context) : new Map<string, string>();
    context.output.rows(
      [...groups].map(([group, members]): Stats => {
        const name = names.get(group);
        return { ...statsOf(group, members), ...(name !== undefined && { actor_name: name }) };
      }),
      view,
    );
    return 0;
  },
});
