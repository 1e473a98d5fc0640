// Damage to the journal: an incomplete end is dropped, any other damage is refused and left unchanged.
import { cpSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../daemon/ports/store.ts';
import { openStore } from '../../daemon/store/store.ts';
import { StoreDamaged } from '../../daemon/store/store-errors.ts';
import { executionRecord, tokenRecord } from '../support/service/records.ts';
import { contents, handClock, rememberingLogger, temporaryFolder } from '../support/store/store-fixtures.ts';

const RECORDS = 6;
const idOf = (n: number): string => `e${n}`;
const secret = 'a text that only the record holds';

/**
 * A data folder after a crash: only the journal has the records. Returns the bytes of each line of the journal.
 * @param put puts a record of this id
 */
const crashed = async (
  put = (tx: Transaction, id: string) => tx.put('executions', executionRecord(id, { executor: secret })),
): Promise<{ folder: string; journal: string; lines: number[] }> => {
  const live = temporaryFolder();
  const store = await openStore({ folder: live, clock: handClock(), logger: rememberingLogger() });
  for (let n = 0; n < RECORDS; n += 1) {
    await store.transact((tx) => put(tx, idOf(n)));
  }
  const folder = path.join(temporaryFolder(), 'data');
  cpSync(live, folder, { recursive: true, preserveTimestamps: true });
  await store.close();
  const journal = path.join(folder, 'db', 'journal-1.ndjson');
  const lines = readFileSync(journal, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.byteLength(line) + 1);
  return { folder, journal, lines };
};

const reopen = async (folder: string) => {
  const logger = rememberingLogger();
  const store = await openStore({ folder, clock: handClock(), logger });
  const ids = [...store.all('executions'), ...store.all('tenants')].map(({ id }) => id);
  return { store, ids, logger };
};

describe('an incomplete end of the journal', () => {
  it('cut at any byte of its last line gives exactly the complete lines', async () => {
    // All collections share the journal. The shortest record has the fewest places to cut.
    const { folder, journal, lines } = await crashed((tx, id) =>
      tx.put('tenants', { id, name: id, lifetimes: {}, createdAt: 1 }),
    );
    expect(lines).toHaveLength(RECORDS);
    const whole = readFileSync(journal);
    const before = whole.length - (lines.at(-1) ?? 0);
    for (let size = before; size <= whole.length; size += 1) {
      const copy = path.join(temporaryFolder(), 'data');
      cpSync(folder, copy, { recursive: true });
      truncateSync(path.join(copy, 'db', 'journal-1.ndjson'), size);
      const kept = size === whole.length ? RECORDS : RECORDS - 1;
      const { store, ids, logger } = await reopen(copy);
      expect(ids).toEqual(Array.from({ length: kept }, (_, n) => idOf(n)));
      const torn = size !== before && size !== whole.length;
      expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(torn ? 1 : 0);
      // Writes after a dropped end are tested at some of the cuts only, because each needs another start.
      if (size % 9 !== 0) {
        await store.close();
        continue;
      }
      await store.transact((tx) => tx.put('tenants', { id: 'later', name: 'later', lifetimes: {}, createdAt: 1 }));
      await store.close();
      const again = await reopen(copy);
      expect(again.ids).toEqual([...ids, 'later']);
      await again.store.close();
    }
  });

  it('of NUL bytes, as left by a power failure, is dropped', async () => {
    for (const tail of [Buffer.alloc(5000), Buffer.concat([Buffer.from('[7,1,[["p","exec'), Buffer.alloc(4096)])]) {
      const { folder, journal } = await crashed();
      const good = readFileSync(journal);
      writeFileSync(journal, Buffer.concat([good, tail]));
      const { store, ids, logger } = await reopen(folder);
      expect(ids).toHaveLength(RECORDS);
      expect(readFileSync(journal)).toEqual(good);
      expect(logger.lines.map(({ message }) => message).join()).toContain('interrupted by a crash');
      await store.close();
    }
  });
});

describe('damaged data', () => {
  const refused = async (folder: string): Promise<StoreDamaged> => {
    const before = contents(folder);
    const logger = rememberingLogger();
    const error = await openStore({ folder, clock: handClock(), logger }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreDamaged);
    expect(contents(folder)).toEqual(before);
    expect(`${String(error)}${JSON.stringify(logger.lines)}`).not.toContain(secret);
    return error as StoreDamaged;
  };

  it('R139 with one flipped byte in the journal is refused with file and line, unchanged and without its content', async () => {
    const { folder, journal, lines } = await crashed();
    const good = readFileSync(journal);
    const lineOf = (offset: number): number => {
      let end = 0;
      return (
        1 +
        lines.findIndex((length) => {
          end += length;
          return offset < end;
        })
      );
    };
    // Positions in every line but the last: its number, its content, its checksum, its end.
    const first = lines[0] ?? 0;
    const offsets = [0, 1, 5, 60, first - 12, first - 4, first - 2, first + 3, first * 2 + 40, first * 3 + 7];
    for (const offset of offsets) {
      for (const mask of [0x01, 0x80]) {
        const bad = Buffer.from(good);
        bad.writeUInt8(bad.readUInt8(offset) ^ mask, offset);
        writeFileSync(journal, bad);
        const error = await refused(folder);
        expect(error.file).toBe(journal);
        expect(error.line).toBe(lineOf(offset));
        expect(error.message).toContain(journal);
      }
    }
  });

  it('with a flipped line end in the middle is refused', async () => {
    const { folder, journal, lines } = await crashed();
    const bad = readFileSync(journal);
    bad.writeUInt8(0x0b, (lines[0] ?? 0) - 1);
    writeFileSync(journal, bad);
    expect((await refused(folder)).line).toBe(1);
  });

  it('with a missing line is refused, even if all others are complete', async () => {
    const { folder, journal } = await crashed();
    const lines = readFileSync(journal, 'utf8').split('\n');
    lines.splice(2, 1);
    writeFileSync(journal, lines.join('\n'));
    expect((await refused(folder)).line).toBe(3);
  });

  it('without its journal is refused', async () => {
    const { folder, journal } = await crashed();
    writeFileSync(path.join(folder, 'db', 'journal-2.ndjson'), readFileSync(journal));
    unlinkSync(journal);
    expect((await refused(folder)).file).toBe(journal);
  });

  it('without its manifest is refused', async () => {
    const { folder } = await crashed();
    unlinkSync(path.join(folder, 'db', 'manifest.json'));
    expect((await refused(folder)).file).toContain('manifest.json');
  });

  it('without a snapshot is refused', async () => {
    const { folder } = await crashed();
    await (await reopen(folder)).store.close();
    const file = path.join(folder, 'db', 'executions.json');
    unlinkSync(file);
    expect((await refused(folder)).file).toBe(file);
  });

  it('with one flipped byte in a snapshot is refused with file and line', async () => {
    const { folder } = await crashed();
    const { store } = await reopen(folder);
    await store.transact((tx) => tx.put('tokens', tokenRecord('t1')));
    await store.close();
    const file = path.join(folder, 'db', 'executions.json');
    expect(readdirSync(path.join(folder, 'db'))).toContain('tokens.json');
    const good = readFileSync(file);
    const text = good.toString('latin1');
    for (const [offset, line] of [
      [0, 1],
      [text.indexOf('e0'), 2],
      [text.indexOf('e3'), 5],
      [text.indexOf(',\n'), 2],
      [text.length - 2, 8],
    ] as const) {
      const bad = Buffer.from(good);
      bad.writeUInt8(bad.readUInt8(offset) ^ 0x04, offset);
      writeFileSync(file, bad);
      const error = await refused(folder);
      expect([error.file, error.line]).toEqual([file, line]);
    }
    for (const size of [1, 10, good.length - 1, good.length - 3]) {
      writeFileSync(file, good.subarray(0, size));
      expect((await refused(folder)).file).toBe(file);
    }
  });
});
