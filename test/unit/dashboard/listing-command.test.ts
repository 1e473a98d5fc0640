// The command line beside the list of executions finds the same executions.
import { expect, it } from 'vitest';
import { listingCommand } from '../../../daemon/web/dashboard/views/executions/command.ts';

it.each([
  [{}, 'actorctl executions list'],
  [{ status: 'RUNNING', actor: 'weekly' }, 'actorctl executions list --status RUNNING weekly'],
  [{ actor: '-x', status: 'ERROR' }, 'actorctl executions list --status ERROR -- -x'],
  [{ status: 'failed' }, 'actorctl executions search --outcome failed'],
  [
    { q: 'disk full', status: 'ERROR', actor: 'weekly', since: '1h' },
    "actorctl executions search --actor weekly --outcome ERROR --since 1h 'disk full'",
  ],
  [
    { since: '2026-11-23T11:00:00.000Z', until: '2026-11-23T12:00:00.000Z', order: 'oldest' },
    'actorctl executions search --since 2026-11-23T11:00:00.000Z --until 2026-11-23T12:00:00.000Z --sort oldest',
  ],
  [{ q: 'disk', in: 'log' }, 'actorctl executions search --in log disk'],
  [{ in: 'log', since: '1h' }, 'actorctl executions search --since 1h'],
  [{ q: '--force', actor: '-x' }, 'actorctl executions search --actor=-x -- --force'],
])('the equivalent command of the filters %j', (filters, line) => {
  expect(listingCommand(filters)).toBe(line);
});
