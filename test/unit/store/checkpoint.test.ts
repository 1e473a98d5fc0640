// When checkpoints start, what they leave behind, and that a failed one changes nothing. The test plays the committer.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import { createCheckpoints } from '../../../daemon/store/journal/checkpoint.ts';
import { readManifest } from '../../../daemon/store/journal/manifest.ts';
import { type Loaded, loadStore } from '../../../daemon/store/load-store.ts';
import { isOpen } from '../../support/store/file-handles.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const REFUSED = new Failure('STORE_UNAVAILABLE', 'The disk is full.');

/** Checkpoints of an empty store. While `refusal` is set, its close writes no checkpoint. */
const make = async ({ floor = 10, sizes = {}, changes = {} as Partial<Loaded> } = {}) => {
  const folder = temporaryFolder();
  const logger = rememberingLogger();
  const loaded = { ...(await loadStore({ folder, clock: handClock(), logger })), ...changes };
  for (const [name, bytes] of Object.entries<number>(sizes)) loaded.sizes.set(name as 'tokens', bytes);
  let attempts = 0;
  let refusal: Failure | undefined = REFUSED;
  let fault: Error | undefined;
  const committer = {
    between: async <T>(work: () => Promise<T>): Promise<T> => {
      attempts += 1;
      if (fault !== undefined) throw fault;
      return work();
    },
    refusal: () => refusal,
  };
  const checkpoints = createCheckpoints({
    loaded,
    committer: committer as never,
    beforeWrite: () => undefined,
    durable: () => ({ decision: 7, sequence: 8, time: 9 }),
    logger,
    floor,
  });
  const settle = () => checkpoints.close();
  onTestFinished(async () => {
    loaded.files.closeAll();
    await checkpoints.journal().close();
  });
  return {
    loaded,
    checkpoints,
    logger,
    settle,
    attempts: () => attempts,
    append: (bytes: number) => checkpoints.journal().append([{ line: 'x'.repeat(bytes), bytes }]),
    /** Considers a checkpoint, and waits for it. */
    consider: async () => {
      checkpoints.consider();
      await settle();
      return checkpoints.journal().number;
    },
    accept: () => {
      refusal = undefined;
    },
    fail: (error?: Error) => {
      fault = error;
    },
    names: () => readdirSync(path.join(folder, 'db')).toSorted(),
    file: (name: string) => path.join(folder, 'db', name),
  };
};

describe('a checkpoint', () => {
  it('starts when the journal is as long as all snapshots together', async () => {
    const { append, consider, names, loaded } = await make({ sizes: { tokens: 60, actors: 40 } });
    await append(99);
    expect([await consider(), names()]).toEqual([1, ['journal-1.ndjson', 'manifest.json']]);
    await append(1);
    expect([await consider(), names()]).toEqual([2, ['journal-2.ndjson', 'manifest.json']]);
    expect(await readManifest(loaded.db)).toMatchObject({
      firstJournal: 2,
      decision: 7,
      sequence: 8,
      time: 9,
      snapshots: expect.arrayContaining(['tokens', 'actors']),
    });
    // The new journal counts from its beginning.
    await append(99);
    expect(await consider()).toBe(2);
    await append(1);
    expect(await consider()).toBe(3);
  });

  it('does not start below the minimum size, and only once at a time', async () => {
    const { append, checkpoints, settle, attempts } = await make({ floor: 100, sizes: { tokens: 60 } });
    await append(99);
    checkpoints.consider();
    expect(attempts()).toBe(0);
    await append(1);
    checkpoints.consider();
    checkpoints.consider();
    await settle();
    expect([attempts(), checkpoints.journal().number]).toEqual([1, 2]);
  });

  it('counts the journals that an earlier daemon left', async () => {
    const { consider } = await make({ changes: { olderBytes: 10 } });
    expect(await consider()).toBe(2);
  });

  it('that fails is retried after as many bytes as the minimum size, and changes nothing', async () => {
    const { append, consider, attempts, fail, logger, loaded, names } = await make();
    loaded.dirty.add('tokens');
    await append(10);
    const refused = new Error('no');
    fail(refused);
    expect([await consider(), attempts()]).toEqual([1, 1]);
    expect(logger.lines).toEqual([
      { level: 'warn', fields: { err: refused }, message: 'cannot write a checkpoint; the journals are kept' },
    ]);
    expect([...loaded.dirty]).toEqual(['tokens']);
    await append(9);
    expect([await consider(), attempts()]).toEqual([1, 1]);
    await append(1);
    fail();
    expect([await consider(), attempts(), [...loaded.dirty]]).toEqual([2, 2, []]);
    expect(names()).toContain('tokens.json');
  });

  it('whose new journal cannot be opened for reading leaves no journal', async () => {
    const journalFile = (number: number): number => {
      if (number > 1) throw new Error('EMFILE');
      return 1;
    };
    const { append, consider, names, file, logger } = await make({ changes: { journalFile } });
    await append(10);
    expect([await consider(), names()]).toEqual([1, ['journal-1.ndjson', 'manifest.json']]);
    expect([existsSync(file('journal-2.ndjson')), isOpen(file('journal-2.ndjson'))]).toEqual([false, false]);
    expect(logger.lines[0]?.fields).toEqual({ err: new Error('EMFILE') });
  });

  it('that cannot close the old journal leaves its records to the next checkpoint', async () => {
    const { append, consider, loaded, names, checkpoints } = await make();
    loaded.dirty.add('tokens');
    await append(10);
    const old = checkpoints.journal();
    const { close } = old;
    Object.assign(old, { close: () => Promise.reject(new Error('EIO')) });
    expect([await consider(), [...loaded.dirty]]).toEqual([2, ['tokens']]);
    expect(names()).toEqual(['journal-1.ndjson', 'journal-2.ndjson', 'manifest.json']);
    await close();
    await append(10);
    expect([await consider(), names()]).toEqual([3, ['journal-3.ndjson', 'manifest.json', 'tokens.json']]);
    expect(isOpen(path.join(loaded.db, 'journal-1.ndjson'))).toBe(false);
  });

  it('follows the first write to a store that its load has changed', async () => {
    const { append, checkpoints, settle, accept, names } = await make({ floor: 1_000 });
    accept();
    await settle();
    expect(names()).toEqual(['journal-1.ndjson', 'manifest.json']);
    await append(1);
    await settle();
    expect([checkpoints.journal().number, names()]).toEqual([2, ['journal-2.ndjson', 'manifest.json']]);
    expect(checkpoints.journalFile()).toBe(2);
  });
});
