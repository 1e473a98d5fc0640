// `--watch` of a list: which rows count as changed.
import { expect, it } from 'vitest';
import { watchRows } from '../../../src/commands/executions/executions.ts';
import { CliFailure } from '../../../src/failure.ts';

interface Row {
  readonly id: string;
  readonly status: string;
  readonly ageMs: number;
}

it('a watched row has changed if anything but its age has changed', async () => {
  const reads: Row[][] = [
    [{ id: 'A', status: 'RUNNING', ageMs: 1 }],
    [{ id: 'A', status: 'RUNNING', ageMs: 2 }],
    [{ id: 'A', status: 'COMPLETE', ageMs: 3 }],
  ];
  const changes: (readonly unknown[])[] = [];
  const stop = new AbortController();
  await watchRows<Row>(
    {
      output: {
        watchReader: () => undefined,
        watch: () => (_rows: readonly unknown[], changed: readonly unknown[]) => void changes.push(changed),
      },
      signal: stop.signal,
      sleep: async () => {
        if (reads.length > 0) return;
        stop.abort();
        throw new CliFailure('CANCELLED', 'interrupted');
      },
    } as never,
    async () => reads.shift() ?? [],
    { id: ({ id }) => id, columns: [] },
    ({ ageMs: _, ...row }) => row,
  );
  expect(changes).toEqual([
    [{ id: 'A', status: 'RUNNING', ageMs: 1 }],
    [],
    [{ id: 'A', status: 'COMPLETE', ageMs: 3 }],
  ]);
});
