// The command line beside the list of executions finds the same executions.
import { expect, it } from 'vitest';
import { listingCommand } from '../../../daemon/web/dashboard/views/executions/command.ts';
import { parseWhere } from '../../../src/commands/tools/search-where.ts';

it.each([
  [{}, 'actorctl executions list'],
  [{ status: 'RUNNING', actor: 'weekly' }, 'actorctl executions list --status RUNNING weekly'],
  [{ status: 'failed' }, 'actorctl search executions --where status=COMPLETE --where exit_code.gt=0'],
  [
    { q: 'disk full', status: 'ERROR', actor: 'weekly' },
    "actorctl search executions --where status=ERROR --where actor_id=weekly --exact 'disk full'",
  ],
  [{ q: '--force', status: 'ERROR' }, 'actorctl search executions --where status=ERROR --exact -- --force'],
  [{ q: ' ' }, 'actorctl executions list'],
  [{ actor: '-x', status: 'ERROR' }, 'actorctl executions list --status ERROR -- -x'],
])('the equivalent command of the filters %j', (filters, line) => {
  expect(listingCommand(filters)).toBe(line);
  const conditions = [...line.matchAll(/--where (\S+)/g)].map(([, condition = '']) => condition);
  expect(Object.keys(parseWhere('executions', conditions))).toHaveLength(conditions.length);
});
