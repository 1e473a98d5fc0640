// `search`: searches the service by text and by fields.
import type { CommandContext } from '../../context.ts';
import type { SearchType } from '../../contract/actors/search.ts';
import { fields, searchOperators, searchTypes } from '../../contract/for-client.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { usage } from '../../failure.ts';
import type { CellValue, Column, View } from '../../ui/format/view.ts';
import { nameRows } from '../framework/actor-names.ts';
import { action } from '../framework/command.ts';
import { type Argument, flag, optional, required, texts } from '../framework/option.ts';
import { type FoundRow, searchRows, wanted } from '../framework/search-rows.ts';
import { isRunning } from '../framework/views.ts';
import { parseWhere } from './search-where.ts';

const cell = (row: FoundRow, name: string): CellValue => {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
};

const column = (
  header: string,
  name: string,
  more: Omit<Column<FoundRow>, 'header' | 'value'> = {},
): Column<FoundRow> => ({
  header,
  value: (row) => cell(row, name),
  ...more,
});

const outcomeWords = (row: FoundRow): string => {
  const [exitCode, reason] = [cell(row, 'exitCode'), cell(row, 'reason')];
  return formatStatus({
    status: String(cell(row, 'status') ?? ''),
    exitCode: typeof exitCode === 'number' ? exitCode : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
  });
};

/** The first line of the message. */
const messageText = ({ message }: FoundRow): CellValue => {
  const text = typeof message === 'object' && message !== null && 'text' in message ? message.text : undefined;
  return typeof text === 'string' ? text.split('\n', 1)[0] : undefined;
};

const view = (id: string, names: readonly string[], columns: readonly Column<FoundRow>[]): View<FoundRow> => ({
  id: (row) => String(row[id] ?? ''),
  name: (row) => String(row['name'] ?? ''),
  fields: names,
  columns,
});

const EXECUTION = column('EXECUTION', 'executionId', { role: 'id' });
const ACTOR: Column<FoundRow> = {
  header: 'ACTOR',
  value: (row) => cell(row, 'actorName') ?? cell(row, 'actorId'),
  role: 'name',
};
const ACTOR_ID = column('ACTOR ID', 'actorId', { role: 'id', wide: true });

const views: Readonly<Record<SearchType, View<FoundRow>>> = {
  actors: view('id', fields.actor, [
    { header: 'NAME', value: (row) => cell(row, 'name') || cell(row, 'id'), role: 'name' },
    column('ID', 'id', { role: 'id', wide: true }),
    column('STATUS', 'status', { kind: 'status' }),
    column('IMAGE', 'image'),
    column('UPDATED', 'lastUpdateTime', { kind: 'time' }),
    column('OWNER', 'owner', { wide: true }),
    column('DESCRIPTION', 'description', { wide: true }),
  ]),
  executions: view(
    'id',
    [...fields.execution, 'actorName'],
    [
      column('EXECUTION', 'id', { role: 'id' }),
      ACTOR,
      column('STATUS', 'status', { words: outcomeWords, kind: 'status' }),
      column('EXIT', 'exitCode', { kind: 'number', inWords: true }),
      column('RECEIVED', 'messageReceivedTime', { kind: 'time' }),
      {
        header: 'DURATION',
        value: (row) => (cell(row, 'startTime') ? cell(row, 'runtimeMs') : undefined),
        kind: 'duration',
        soFar: isRunning,
        whole: true,
      },
      column('EXECUTOR', 'executor', { wide: true }),
      { header: 'MESSAGE', value: messageText, wide: true },
      column('REASON', 'reason', { wide: true }),
      ACTOR_ID,
    ],
  ),
  workers: view(
    'id',
    [...fields.worker, 'actorName'],
    [
      column('WORKER', 'id', { role: 'id' }),
      ACTOR,
      column('STATUS', 'status', { kind: 'status' }),
      column('IMAGE', 'image'),
      column('LAST RUN', 'lastExecutionTime', { kind: 'time' }),
      ACTOR_ID,
    ],
  ),
  logs: view(
    'executionId',
    ['executionId', 'actorId', 'actorName', 'logs', '_links'],
    [EXECUTION, ACTOR, column('LINE', 'logs'), ACTOR_ID],
  ),
};

/** Parses a kind, in singular or plural and in any case. */
const typeOf = (word: string): SearchType => {
  const type = searchTypes.find((each) => each === word.toLowerCase() || each === `${word.toLowerCase()}s`);
  if (type !== undefined) return type;
  throw usage(`cannot search "${word}"`, `use one of ${searchTypes.join(', ')}`);
};

const typeArgument: Argument<SearchType> = {
  ...required(`what to search: ${searchTypes.join(', ')}`, searchTypes),
  read: (given) => typeOf(given[0] ?? ''),
};

/** Returns all strings in a row, at any depth. */
const textsIn = (row: FoundRow): readonly string[] => {
  const found: string[] = [];
  const waiting: unknown[] = [row];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
  }
  return found;
};

const holdsSome = (text: string, words: readonly string[]): boolean => {
  const lower = text.toLowerCase();
  return words.some((word) => lower.includes(word));
};

const rowHoldsSome = ({ _links, ...row }: FoundRow, words: readonly string[]): boolean =>
  textsIn(row).some((text) => holdsSome(text, words));

/** Returns a row for each line that contains a search word. Without search words: the first line of each log. */
const linesOf = (rows: readonly FoundRow[], words: readonly string[]): readonly FoundRow[] =>
  rows.flatMap((row) => {
    const lines = String(row['logs'] ?? '')
      .split('\n')
      .filter((line) => line !== '');
    const hit = words.length === 0 ? [] : lines.filter((line) => holdsSome(line, words));
    return (hit.length > 0 ? hit : lines.slice(0, 1)).map((line) => ({ ...row, logs: line.trimEnd() }));
  });

const nameFound = async (context: CommandContext, rows: readonly FoundRow[]): Promise<readonly FoundRow[]> => {
  const named = await nameRows(
    context,
    rows.map((row) => ({ ...row, actorId: String(row['actorId'] ?? '') })),
  );
  return named.map((row) => ({ ...row }));
};

const isForPeople = ({ output }: CommandContext): boolean =>
  !output.machine && (output.format === 'table' || output.format === 'wide');

const searched: Readonly<Record<SearchType, string>> = {
  actors: 'all their fields',
  executions: 'all their fields, and the text of stored messages that you may send again',
  workers: 'all their fields',
  logs: 'the output of executions',
};

export const searchCommand = action({
  details: `Words are searched in ${searchTypes.map((type) => `${type}: ${searched[type]}`).join('; ')}. The best match has the most different words, then the most occurrences. Logs are shown as their lines with a word.`,
  operations: ['search.find'],
  args: { type: typeArgument, query: optional('words to search for, matches any of them, best match first') },
  options: {
    where: texts('--where <field.operator=value>', `condition, repeatable; operators: ${searchOperators.join(' ')}`),
    exact: flag('--exact', 'search for the words as a phrase, oldest match first'),
  },
  list: true,
  examples: [
    'actorctl search executions --where status=ERROR --where message_received_time.gt=2026-01-31',
    'actorctl search logs "disk full" --exact',
    "actorctl search actors --where 'image.like=^alpine'",
  ],
  run: async (context, { type, query = '' }, { where, exact }) => {
    const phrase = query.trim().toLowerCase();
    if (exact && phrase === '')
      throw usage('--exact needs search words', `actorctl search ${type} "some words" --exact`);
    const words = phrase === '' ? [] : exact ? [phrase] : phrase.split(/\s+/);
    const conditions = {
      ...parseWhere(type, where),
      ...(phrase !== '' && { [exact ? 'exactsearch' : 'search']: query.trim() }),
    };
    const filters = words.length > 0 && !exact;
    // The service ranks rows by matching words but leaves none out. After a row without a match, no further row
    // matches.
    const enough = (rows: readonly FoundRow[]) => filters && !rows.every((row) => rowHoldsSome(row, words));
    const found = await searchRows(context, type, conditions, wanted(context), enough);
    const matching = filters ? found.filter((row) => rowHoldsSome(row, words)) : found;
    const rows = type === 'actors' ? matching : await nameFound(context, matching);
    if (rows.length === 0 && phrase !== '') context.output.note(`nothing found. Searched: ${searched[type]}`);
    context.output.rows(type === 'logs' && isForPeople(context) ? linesOf(rows, words) : rows, views[type]);
    return 0;
  },
});
