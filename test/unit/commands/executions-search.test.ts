// `executions search`: how it follows the cursors of the service, and what it says when it ends.
import { describe, expect, it } from 'vitest';
import { executionsSearch } from '../../../src/commands/executions/executions-search.ts';
import { CliFailure } from '../../../src/failure.ts';
import { plain } from '../../../src/ui/color.ts';

const row = (id: string) => ({
  id,
  actorId: 'A',
  actorName: 'words',
  status: 'COMPLETE',
  exitCode: 3,
  messageReceivedTime: '2026-11-23T12:00:00.000Z',
  match: { in: 'log', line: 120, text: 'the disk is full', start: 4, end: 8 },
});

const page = (ids: readonly string[], next: string | null) => ({
  executions: ids.map(row),
  next,
  searchedTo: '2026-11-23T11:00:00.000Z',
  examined: 1,
});

type Answer = ReturnType<typeof page> | CliFailure;

const run = async (answers: readonly Answer[], { errorTty = false, ...options }: Record<string, unknown> = {}) => {
  const stop = new AbortController();
  const asked: unknown[] = [];
  const said: string[] = [];
  const left = [...answers];
  const context = {
    signal: stop.signal,
    serviceClock: { now: () => Date.parse('2026-11-23T12:05:00Z') },
    call: async (_: string, { query }: { readonly query: object }) => {
      asked.push(query);
      const answer = left.shift();
      if (answer instanceof CliFailure) {
        stop.abort();
        throw answer;
      }
      return answer;
    },
    output: {
      tty: false,
      errorTty,
      paint: plain,
      allowFields: () => true,
      watchReader: () => undefined,
      note: (text: string) => void said.push(`note: ${text}`),
      event: async (_: string, __: unknown, line: string) => void said.push(line),
      progress: async (text: string) => {
        said.push(`progress: ${text}`);
        return { update: (next: string) => void said.push(`progress: ${next}`), stop: () => undefined };
      },
    },
  };
  const action = await executionsSearch.load();
  const given = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, [String(value)]]));
  const exit = await action
    .bind(
      { text: ['disk'] },
      given,
    )(context as never)
    .catch((error: unknown) => error);
  return { asked, said, exit };
};

const line = (id: string) => `${id}\twords\tfailed, exit 3\t2026-11-23T12:00:00.000Z\tlog:120\tthe disk is full`;

describe('executions search', () => {
  it('follows the cursors to the end, and prints an execution of two pages once', async () => {
    const { asked, said, exit } = await run([page(['a'], 'c1'), page([], 'c2'), page(['a', 'b'], null)]);
    expect(asked).toEqual([{ text: 'disk' }, { text: 'disk', after: 'c1' }, { text: 'disk', after: 'c2' }]);
    expect(said).toEqual([line('a'), line('b')]);
    expect(exit).toBe(0);
  });

  it('ends at the limit without a further request', async () => {
    const { asked, said } = await run([page(['a'], 'c1'), page(['b', 'c'], 'c2')], { limit: '2' });
    expect(asked).toEqual([
      { text: 'disk', limit: 2 },
      { text: 'disk', limit: 2, after: 'c1' },
    ]);
    expect(said).toEqual([line('a'), line('b')]);
  });

  it('shows how far it is on a terminal only, and says that nothing was found', async () => {
    expect((await run([page([], 'c1'), page([], null)])).said).toEqual(['note: no execution matches']);
    expect((await run([page([], 'c1'), page(['a'], null)], { errorTty: true })).said).toEqual([
      'progress: Searching',
      'progress: Searched to 2026-11-23T11:00:00Z, 0 executions found',
      line('a'),
    ]);
  });

  it('says how far it came when it is interrupted', async () => {
    const { said, exit } = await run([page(['a'], 'c1'), new CliFailure('CANCELLED', 'interrupted')]);
    expect(said).toEqual([line('a')]);
    expect(exit).toMatchObject({
      code: 'CANCELLED',
      message: 'searched to 2026-11-23T11:00:00Z, 1 execution found, then interrupted',
    });
  });
});
