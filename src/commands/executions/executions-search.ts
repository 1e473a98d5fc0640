// `executions search`: searches executions by outcome, time, message and log, and prints each one as it is found.
import type { CommandContext } from '../../context.ts';
import { EXECUTIONS_FOUND_MAX, fields, searchPlaces } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatStatus, outcomes, readOutcome } from '../../contract/outcome.ts';
import { CliFailure, usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import { formatAgo, parseTime } from '../../ui/format/time.ts';
import { oneLine } from '../../ui/format/width.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../framework/command.ts';
import { choice, integer, optional, text, words } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';

type Page = ResultOf<Operations['executions.search']>;
type Row = Page['executions'][number];

/** @throws CliFailure USAGE */
const outcomeOf = (word: string): string => {
  const outcome = readOutcome(word);
  if (outcome !== undefined) return outcome;
  const meant = nearest(word, outcomes);
  throw usage(
    `--outcome must be one of ${outcomes.join(', ')}, not "${word}"`,
    meant === undefined ? undefined : `did you mean ${meant}?`,
  );
};

const placeOf = ({ in: place, line }: NonNullable<Row['match']>): string => {
  if (place === 'statusMessage') return 'status';
  return place === 'id' ? 'id' : `${place}:${line}`;
};

/** Aligned columns on a terminal, otherwise tab-separated with the full time and the whole row. */
const lineOf = (row: Row, { tty, paint }: CommandContext['output'], now: number): string => {
  const { id, actorId, actorName, messageReceivedTime, match } = row;
  const [actor, status] = [actorName || actorId, formatStatus(row)];
  if (!tty) {
    const found = match === undefined ? [] : [placeOf(match), match.text];
    return [id, actor, status, messageReceivedTime, ...found].map(oneLine).join('\t');
  }
  const tone = row.status !== 'COMPLETE' ? paint.yellow : status === 'complete' ? paint.green : paint.red;
  const cells = [
    oneLine(id),
    tone(status) + ' '.repeat(Math.max(0, 'failed, exit 137'.length - status.length)),
    paint.dim(formatAgo(Date.parse(messageReceivedTime), now).padEnd('just now'.length)),
    paint.bold(oneLine(actor)),
  ];
  if (match !== undefined) {
    const { start, end } = match;
    const [before, hit, after] = [match.text.slice(0, start), match.text.slice(start, end), match.text.slice(end)];
    cells.push(`${paint.dim(placeOf(match))} ${oneLine(before)}${paint.yellow(oneLine(hit))}${oneLine(after)}`);
  }
  return cells.join('  ');
};

/** The pages of a search, to its end. An execution is in one of them only. */
async function* pagesOf(
  { call }: Pick<CommandContext, 'call'>,
  query: Readonly<Record<string, string | number | readonly string[]>>,
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await call('executions.search', { query: { ...query, ...(after !== undefined && { after }) } });
    const executions = page.executions.filter(({ id }) => !seen.has(id));
    for (const { id } of executions) seen.add(id);
    yield { ...page, executions };
    if (page.next === null) return;
    after = page.next;
  }
}

export const executionsSearch = command({
  name: 'search',
  summary: 'Search executions by message, log, outcome and time',
  details:
    'Searches one actor, or all that you may read, and prints each execution as soon as it is found, with the first line that matches. The text is found in logs, status messages and stored messages that you may send again, in any case. It may also be a whole execution id. Outcomes in upper case are the statuses of the service: COMPLETE includes failed.',
  operations: ['executions.search'],
  args: { text: optional('text on one line (default: every execution)') },
  options: {
    actor: text('--actor <actor>', 'only executions of this actor', 'actor'),
    outcome: words('--outcome <outcomes>', 'only these outcomes, separated by commas, repeatable', { like: outcomes }),
    in: choice('--in <where>', `where to look for the text: ${searchPlaces.join(', ')}`, searchPlaces),
    since: text('--since <time>', 'only executions received since: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
    until: text('--until <time>', 'only executions received until: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
    sort: choice('--sort <order>', 'newest (the default) or oldest first', ['newest', 'oldest'] as const),
    limit: integer('--limit <n>', 'stop after this many executions', { min: 1 }),
  },
  examples: [
    'actorctl executions search "disk full" --since 24h',
    'actorctl executions search --actor wordcount --outcome failed,timed_out --sort oldest --json',
  ],
  run: async (context, { text: wanted = '' }, options) => {
    const { output, serviceClock, signal } = context;
    if (!output.allowFields(fields.foundExecution)) return 0;
    const outcome = options.outcome.map(outcomeOf);
    const isTimed = options.since !== undefined || options.until !== undefined;
    const now = isTimed ? await serviceClock.ask() : 0;
    const timeOf = (given: string) => new Date(parseTime(given, now)).toISOString();
    const query = {
      ...(wanted !== '' && { text: wanted }),
      ...(options.actor !== undefined && { actorId: (await resolveActor(context, options.actor)).id }),
      ...(outcome.length > 0 && { outcome }),
      ...(options.in !== undefined && { in: options.in }),
      ...(options.since !== undefined && { since: timeOf(options.since) }),
      ...(options.until !== undefined && { until: timeOf(options.until) }),
      ...(options.sort === 'oldest' && { order: 'asc' }),
      ...(options.limit !== undefined && { limit: Math.min(options.limit, EXECUTIONS_FOUND_MAX) }),
    };
    const onlyId = output.quiet || output.format === 'id' || output.format === 'name';
    let found = 0;
    let reached = '';
    const progressOf = (verb = 'Searched') => `${verb} to ${reached}, ${plural(found, 'execution')} found`;
    /** Only on a terminal, because elsewhere each change would be a line. */
    const startProgress = async () =>
      output.errorTty ? output.progress(reached === '' ? 'Searching' : progressOf()) : undefined;
    let progress = await startProgress();
    output.watchReader();
    try {
      for await (const page of pagesOf(context, query)) {
        reached = page.searchedTo?.replace(/\.\d+Z$/, 'Z') ?? reached;
        if (page.executions.length === 0) progress?.update(progressOf());
        else {
          progress?.stop();
          for (const row of page.executions.slice(0, (options.limit ?? Number.MAX_SAFE_INTEGER) - found)) {
            found += 1;
            if (output.machine || onlyId) await output.event(`${row.id}\n`, row);
            else await output.event('\n', row, lineOf(row, output, serviceClock.now()));
          }
          if (found === options.limit) return 0;
          if (page.next !== null) progress = await startProgress();
        }
      }
      progress?.stop();
      if (found === 0) output.note('no execution matches');
      return 0;
    } catch (error) {
      progress?.stop();
      const isInterrupted = error instanceof CliFailure && error.code === 'CANCELLED' && signal.aborted;
      if (!isInterrupted || reached === '') throw error;
      throw new CliFailure('CANCELLED', `${progressOf('searched')}, then interrupted`, {
        ...error.extras,
        cause: error,
      });
    }
  },
});
