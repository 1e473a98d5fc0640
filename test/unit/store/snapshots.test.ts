// The manifest and the snapshots as files: what is read back, and what is refused.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Manifest, readManifest, writeManifest } from '../../../daemon/store/journal/manifest.ts';
import { recordChecksum, seal, sealOf } from '../../../daemon/store/journal/sealed-line.ts';
import { readSnapshot, snapshotPath, snapshotSize, writeSnapshot } from '../../../daemon/store/journal/snapshot.ts';
import { onFileHandles } from '../../support/store/file-handles.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

describe('a manifest', () => {
  const manifest: Manifest = { schemaVersion: 5, firstJournal: 2, decision: 3, sequence: 4, time: 5, snapshots: ['a'] };

  it('is read back, and is undefined without a file', async () => {
    const folder = temporaryFolder();
    expect(await readManifest(folder)).toBeUndefined();
    await writeManifest(folder, manifest);
    expect(await readManifest(folder)).toEqual(manifest);
    expect(readFileSync(path.join(folder, 'manifest.json'), 'utf8')).toBe(`${seal(`[${JSON.stringify(manifest)}`)}\n`);
    const { snapshots: _, ...older } = manifest;
    await writeManifest(folder, older);
    expect(await readManifest(folder)).toEqual(older);
  });

  it('is refused if it is not what was written', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'manifest.json');
    const text = (value: unknown): string => `${seal(`[${JSON.stringify(value)}`)}\n`;
    const good = text(manifest);
    for (const bad of [
      '',
      good.slice(0, -1),
      good + good,
      `${good}x`,
      good.replace('2', '3'),
      text(null),
      text('x'),
      ...['schemaVersion', 'firstJournal', 'decision', 'sequence', 'time'].map((name) =>
        text({ ...manifest, [name]: '1' }),
      ),
      text({ ...manifest, snapshots: 'a' }),
      text({ ...manifest, snapshots: ['a', 1] }),
    ]) {
      writeFileSync(file, bad);
      await expect(readManifest(folder)).rejects.toThrow(`${file}, line 1: the checksum does not match`);
    }
    const other = temporaryFolder();
    mkdirSync(path.join(other, 'manifest.json'));
    await expect(readManifest(other)).rejects.toThrow('EISDIR');
  });
});

describe('a snapshot', () => {
  const textsOf = (records: readonly unknown[]) =>
    records.map((record) => {
      const bytes = Buffer.from(JSON.stringify(record));
      return { bytes, checksum: recordChecksum(bytes) };
    });
  const read = async (file: string, mustExist = false) => {
    const found: [unknown, string][] = [];
    const bytes = readFileSync(file);
    const size = await readSnapshot(file, mustExist, (record, { offset, length }) =>
      found.push([record, bytes.toString('utf8', offset, offset + length)]),
    );
    return { size, found };
  };

  it('is read back with the place of each record', async () => {
    for (const records of [[], [{ a: 'ž' }], [{ a: 1 }, [2], { b: '[' }]]) {
      const file = snapshotPath(temporaryFolder(), 'actors');
      const offsets: number[] = [];
      const texts = textsOf(records);
      const size = await writeSnapshot(file, texts, (text, offset) => {
        offsets.push(offset);
        expect(texts).toContain(text);
      });
      expect([path.basename(file), size]).toEqual(['actors.json', statSync(file).size]);
      expect(snapshotSize(texts.map(({ bytes }) => bytes.length))).toBe(size);
      expect(await read(file, true)).toEqual({
        size,
        found: records.map((record) => [record, JSON.stringify(record)]),
      });
      const bytes = readFileSync(file);
      const starts = offsets.map((offset) => bytes.toString('utf8', offset, offset + 2));
      expect(starts).toEqual(records.map((record) => JSON.stringify(record).slice(0, 2)));
    }
  });

  it('is written in slices, which hold copies of the texts', async () => {
    const file = snapshotPath(temporaryFolder(), 'actors');
    const lengths: number[] = [];
    const shared = Buffer.from(JSON.stringify('x'.repeat(60_000)));
    await onFileHandles('writeFile', (real, _handle, [data]) => {
      lengths.push((data as Buffer).length);
      // A read of another record overwrites the shared buffer meanwhile.
      shared.fill(0, 1, shared.length - 1);
      return real();
    });
    const texts = function* () {
      for (let n = 0; n < 5; n += 1) {
        shared.fill(97 + n, 1, shared.length - 1);
        yield { bytes: shared, checksum: recordChecksum(shared) };
      }
    };
    await writeSnapshot(file, texts());
    const line = ',\n['.length + shared.length + ',"0123abcd"]'.length;
    expect(lengths).toEqual([2 * line, 2 * line, line + '\n]\n'.length]);
    const parsed: [string][] = JSON.parse(readFileSync(file, 'utf8'));
    expect(parsed.map(([text]) => text[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('writes a text longer than a slice as a slice of its own', async () => {
    const file = snapshotPath(temporaryFolder(), 'actors');
    const records = ['a', 'x'.repeat(300_000), 'b'].map((text) => ({ text }));
    const texts = records.map((record) => Buffer.from(JSON.stringify(record)));
    const size = await writeSnapshot(
      file,
      texts.map((bytes) => ({ bytes, checksum: recordChecksum(bytes) })),
    );
    expect(await read(file, true)).toEqual({ size, found: texts.map((bytes, at) => [records[at], bytes.toString()]) });
  });

  it('that does not exist has no records, unless it must exist', async () => {
    const file = snapshotPath(temporaryFolder(), 'actors');
    expect(await readSnapshot(file, false, () => undefined)).toBe(0);
    await expect(readSnapshot(file, true, () => undefined)).rejects.toThrow(`${file}: the file is missing`);
    mkdirSync(file);
    await expect(readSnapshot(file, true, () => undefined)).rejects.toThrow('EISDIR');
  });

  it('is refused if it is not what was written', async () => {
    const file = snapshotPath(temporaryFolder(), 'actors');
    const line = seal('[{}');
    for (const [text, what] of [
      ['', ': its end is missing'],
      ['x\n', ', line 1: it does not begin like a snapshot'],
      ['[[\n', ', line 1: it does not begin like a snapshot'],
      ['[\n', ': its end is missing'],
      ['[\n]', ': its end is missing'],
      ['[\n]\nx', ': its end is missing'],
      ['[\n]\nx\n', ', line 3: data follows after the end'],
      [`[\n${line},\n]\n`, ', line 3: a record is missing'],
      [`[\n${line}\n${line}\n]\n`, ', line 3: the preceding line has no comma'],
      [`[\n${line.replace('{}', '[]')}\n]\n`, ', line 2: the checksum does not fit'],
      [`[\n1${sealOf(1)}\n]\n`, ', line 2: the checksum does not fit'],
      [`[\n${line}\n`, ': its end is missing'],
      [`[\n${line}`, ': its end is missing'],
    ] as const) {
      writeFileSync(file, text);
      await expect(
        readSnapshot(file, false, () => undefined),
        text,
      ).rejects.toThrow(`${file}${what}`);
    }
  });
});
