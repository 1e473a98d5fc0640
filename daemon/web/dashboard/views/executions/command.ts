// The command line that shows the executions of a listing.
import { commandLine, nameWords } from '../../parts/command.ts';
import type { Filters } from './listing.ts';

/** `executions list`, or `search executions` for filters that only a search has. */
export const listingCommand = ({ status, actor, q = '' }: Filters): string => {
  const phrase = q.trim();
  if (phrase === '' && status !== 'failed') {
    return commandLine(
      'executions',
      'list',
      ...(status ? ['--status', status] : []),
      ...(actor ? nameWords(actor) : []),
    );
  }
  const conditions = [
    ...(status === 'failed' ? ['status=COMPLETE', 'exit_code.gt=0'] : status ? [`status=${status}`] : []),
    ...(actor ? [`actor_id=${actor}`] : []),
  ];
  return commandLine(
    'search',
    'executions',
    ...conditions.flatMap((condition) => ['--where', condition]),
    ...(phrase === '' ? [] : ['--exact', ...nameWords(phrase)]),
  );
};
