// The command line that shows the executions of a listing.
import { commandLine, nameWords } from '../../parts/command.ts';
import { type Filters, isLive } from './listing.ts';

/** `executions list`, or `executions search` for filters that only a search has. */
export const listingCommand = (filters: Filters): string => {
  const { status, actor, q = '', in: within, since, until, order } = filters;
  if (isLive(filters) && (!status || status === status.toUpperCase())) {
    return commandLine(
      'executions',
      'list',
      ...(status ? ['--status', status] : []),
      ...(actor ? nameWords(actor) : []),
    );
  }
  const flags = {
    actor,
    in: q && within,
    outcome: status,
    since,
    until,
    sort: order === 'oldest' ? order : undefined,
  };
  return commandLine(
    'executions',
    'search',
    ...Object.entries(flags).flatMap(([name, value]) => {
      if (!value) return [];
      return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
    }),
    ...(q === '' ? [] : nameWords(q)),
  );
};
