// The records of one moment, and the deletions that wait while an archive reads their files.
import { describe, expect, it } from 'vitest';
import { captureRecords } from '../../../daemon/store/archive/captured-records.ts';
import { holdDeletions } from '../../../daemon/store/archive/held-folder.ts';
import { recordChecksum } from '../../../daemon/store/journal/sealed-line.ts';
import { collectionNames } from '../../../daemon/store/record-table.ts';

/** Captures played places: two chunks of tokens, nine of executions, none of the others. */
const capture = () => {
  const calls: string[] = [];
  const text = (n: number) => JSON.stringify({ n, text: 'ž'.repeat(n) });
  const chunks: Record<string, number[][]> = {
    tokens: [[0, 1], [2]],
    executions: [[3], [4], [5], [6], [7], [8], [9], [10], [11]],
  };
  const snapshotFiles = Object.fromEntries(
    collectionNames.map((name) => {
      const captured = {
        chunks: () =>
          (chunks[name] ?? []).map((chunk) =>
            chunk.map((n) => ({
              file: n,
              offset: 0,
              length: Buffer.byteLength(text(n)),
              checksum: recordChecksum(text(n)),
            })),
          ),
        copies: () => ({ tokens: 2, executions: 3 })[name as string] ?? 0,
        release: () => void calls.push(`release ${name}`),
      };
      return [name, { data: { places: { capture: () => captured } } }];
    }),
  );
  const files = {
    hold: () => {
      calls.push('hold');
      return () => void calls.push('release files');
    },
    reader:
      () =>
      ({ file }: { readonly file: number }) => {
        calls.push(`read ${file}`);
        return Buffer.from(text(file));
      },
  };
  const captured = captureRecords({ snapshotFiles, files } as never, { decision: 1, sequence: 2, time: 3 });
  const of = (name: string) => {
    const found = captured.collections.find((collection) => collection.name === name);
    if (found === undefined) throw new Error(`${name} is missing`);
    return found;
  };
  return { captured, calls, of, text };
};

describe('captured records', () => {
  it('cover all collections except browser sessions at one moment, and their files exist until the release', () => {
    const { captured, calls } = capture();
    const archived = collectionNames.filter((name) => name !== 'sessions');
    expect([captured.decision, captured.sequence, captured.time]).toEqual([1, 2, 3]);
    expect(captured.collections.map(({ name }) => name)).toEqual(archived);
    expect(captured.copies()).toBe(5);
    expect(calls).toEqual(['hold']);
    captured.release();
    expect(calls).toEqual(['hold', ...archived.map((name) => `release ${name}`), 'release files']);
  });

  it('are measured without reading them, and produce exactly that many bytes', async () => {
    const { of, calls, text } = capture();
    const measured = await of('tokens').measure();
    expect(calls).toEqual(['hold']);
    const whole = Buffer.concat([...of('tokens').slices()]);
    expect(measured).toEqual({ records: 3, bytes: whole.length });
    expect((JSON.parse(whole.toString()) as [unknown][]).map(([record]) => JSON.stringify(record))).toEqual(
      [0, 1, 2].map(text),
    );
    expect(calls).toEqual(['hold', 'read 0', 'read 1', 'read 2']);
    expect(await of('actors').measure()).toEqual({ records: 0, bytes: '[\n]\n'.length });
  });

  it('are measured in slices of four chunks, with a turn of the event loop between slices', async () => {
    const turnsOf = async (name: string): Promise<number> => {
      let turns = 0;
      let measured = false;
      const turn = (): void => {
        turns += 1;
        if (!measured) setImmediate(turn);
      };
      setImmediate(turn);
      await capture()
        .of(name)
        .measure()
        .then(() => {
          measured = true;
        });
      return turns;
    };
    expect([await turnsOf('actors'), await turnsOf('tokens'), await turnsOf('executions')]).toEqual([0, 0, 2]);
  });
});

describe('deletions', () => {
  const make = () => {
    const removed: string[] = [];
    const deletions = holdDeletions(async (name) => {
      removed.push(name);
      if (name.startsWith('bad')) throw new Error(`cannot remove ${name}`);
    });
    return { removed, deletions };
  };

  it('take effect at once, and report a failure, while the folder is not held', async () => {
    const { removed, deletions } = make();
    await deletions.delete('a');
    await expect(deletions.delete('bad')).rejects.toThrow('cannot remove bad');
    expect(removed).toEqual(['a', 'bad']);
  });

  it('wait for the last hold, once per name, and their failure does not fail the release', async () => {
    const { removed, deletions } = make();
    const [first, second] = [deletions.hold(), deletions.hold()];
    for (const name of ['bad', 'a', 'a']) await deletions.delete(name);
    await first();
    await first();
    expect(removed).toEqual([]);
    await second();
    expect(removed).toEqual(['bad', 'a']);
    await deletions.delete('b');
    expect(removed).toEqual(['bad', 'a', 'b']);
    await deletions.hold()();
    expect(removed).toEqual(['bad', 'a', 'b']);
  });
});
