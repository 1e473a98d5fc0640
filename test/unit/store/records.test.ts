// The parts of the store that keep records on disk: places, the latest records in memory, and the lines that name them.
import { renameSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftLine, type Operation, parseLine } from '../../../daemon/store/journal/journal-line.ts';
import { recordChecksum, seal } from '../../../daemon/store/journal/sealed-line.ts';
import { StoreDamaged } from '../../../daemon/store/store-errors.ts';
import { createPlaces } from '../../../daemon/store/table/places.ts';
import { storedRecords } from '../../../daemon/store/table/records.ts';
import { filed, placeOf } from '../../support/store/filed-texts.ts';
import { anyText } from '../../support/values/any-text.ts';

const isKnown = (operation: Operation | undefined): operation is Operation => operation !== undefined;

describe('a line of the journal', () => {
  it('gives the position of the text of each record, when it is written and when it is read', () => {
    const record = fc.dictionary(anyText(), fc.jsonValue());
    const step = fc.oneof(
      fc.record({ kind: fc.constant('p' as const), value: record }),
      fc.record({ kind: fc.constant('d' as const), value: anyText() }),
      fc.record({ kind: fc.constant('s' as const), value: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), fc.nat(), (steps, before) => {
        const draft = draftLine(7, 1_234);
        const written = steps.flatMap(({ kind, value }) => {
          if (kind === 'p') return [draft.put('executions', JSON.stringify(value))];
          if (kind === 'd') draft.delete('tokens', value);
          else draft.sequence(value);
          return [];
        });
        const { line, bytes } = draft.finish();
        const whole = Buffer.from(line);
        expect(whole.length).toBe(bytes);
        const read = [...(parseLine(whole.subarray(0, -1))?.operations(before) ?? [])].filter(isKnown);
        expect(read.map(([kind]) => kind)).toEqual(steps.map(({ kind }) => kind));
        const found = read.flatMap((operation) => (operation[0] === 'p' ? [operation] : []));
        expect(found.map(([, , , { offset, ...place }]) => ({ ...place, offset: offset - before }))).toEqual(written);
        for (const [, , value, { offset, length, checksum }] of found) {
          const text = whole.subarray(offset - before, offset - before + length);
          expect(JSON.parse(text.toString())).toEqual(value);
          expect(recordChecksum(text)).toBe(checksum);
        }
      }),
    );
  });

  it('ends at the first operation that this program does not know', () => {
    for (const unknown of [
      '5',
      '"]"',
      '["x","executions",{}]',
      '["p","executions",null]',
      '["d","executions"]',
      '[]',
    ]) {
      const line = parseLine(Buffer.from(seal(`[1,2,[["s",3],${unknown},["s",4]]`)));
      expect([...(line?.operations(0) ?? [])]).toEqual([['s', 3], undefined]);
    }
  });
});

describe('places', () => {
  it('are found by order until they are removed', () => {
    const places = createPlaces();
    const place = (order: number) => ({
      file: 1 + (order % 3),
      offset: order * 2 ** 20,
      length: order,
      checksum: 2 ** 32 - 1,
    });
    const orders = [1, 2, 1_023, 1_024, 5_000, 2 ** 33];
    for (const order of orders) places.set(order, place(order));
    expect([...places.orders()]).toEqual(orders);
    for (const order of orders) expect(places.get(order)).toEqual(place(order));
    places.set(2, place(9));
    places.remove(5_000);
    places.remove(5_000);
    places.remove(7);
    expect(places.get(2)).toEqual(place(9));
    expect([places.get(3), places.get(5_000), places.get(9_000)]).toEqual([undefined, undefined, undefined]);
    expect([...places.orders()]).toEqual(orders.filter((order) => order !== 5_000));
  });
});

it('places of a chunk are forgotten with its last place only', () => {
  const places = createPlaces();
  const place = { file: 1, offset: 2, length: 3, checksum: 4 };
  for (const order of [1, 2, 5_000]) places.set(order, place);
  places.set(2, { ...place, offset: 9 });
  places.remove(1);
  expect(places.get(2)?.offset).toBe(9);
  places.set(1, place);
  expect([...places.orders()]).toEqual([1, 2, 5_000]);
  for (const order of [1, 2]) places.remove(order);
  places.set(2, place);
  // The chunk was started again, so it is the last one.
  expect([...places.orders()]).toEqual([5_000, 2]);
});

describe('record files', () => {
  it('give the line of a damaged record beyond the first MiB of its file', () => {
    const texts = Array.from({ length: 300 }, (_, n) => `${n} ${'x'.repeat(9_000)}`);
    const { file, files, places } = filed(texts);
    for (const number of [0, 116, 117, 250, 299]) {
      const wrong = { ...placeOf('', 0, 1), ...places[number], checksum: 1 };
      expect(() => files.read(wrong)).toThrow(`${file}, line ${number + 1}: the checksum does not match`);
    }
  });

  it('keep their numbers, and a closed one is not read', async () => {
    const { file, files, places } = filed(['one', 'two']);
    const [one = placeOf('', 0, 1), two = placeOf('', 0, 1)] = places;
    const again = files.open(file);
    expect(again).toBe(one.file + 1);
    await files.close(one.file);
    await files.close(one.file);
    expect(() => files.read(one)).toThrow('The store is closed.');
    expect(files.read({ ...two, file: again }).toString()).toBe('two');
    expect(files.reads()).toBe(1);
    expect(files.open(file)).toBe(again + 1);
  });

  it('read a text of exactly 64 KiB and a longer one', () => {
    const texts = [64 * 1024, 64 * 1024 + 1].map((length) => 'x'.repeat(length));
    const { files, places } = filed(texts);
    expect(places.map((place) => files.read(place).toString())).toEqual(texts);
  });
});

describe('stored records', () => {
  const record = (n: number) => ({ id: `e${n}`, text: 'ä'.repeat(10) });
  const stored = (count: number, budget: number) => {
    const texts = Array.from({ length: count }, (_, n) => JSON.stringify(record(n)));
    const { file, files, places } = filed(texts);
    const records = storedRecords<ReturnType<typeof record>>(files, budget);
    for (const [n, place] of places.entries()) records.set(n, record(n), place);
    return { file, files, records, bytes: places[0]?.length ?? 0 };
  };

  it('are objects in memory within the budget, and are read once for each use beyond it', () => {
    const few = stored(100, 400);
    expect(few.bytes).toBe(41);
    expect(few.records.held()).toBeLessThanOrEqual(21);
    for (const n of [0, 1, 50]) expect(few.records.get(n)).toEqual(record(n));
    expect(few.files.reads()).toBe(3);
    expect(few.records.get(99)).toEqual(record(99));
    expect(few.files.reads()).toBe(3);
    const all = stored(100, Number.POSITIVE_INFINITY);
    for (let n = 0; n < 100; n += 1) expect(all.records.get(n)).toEqual(record(n));
    expect([all.records.held(), all.files.reads()]).toEqual([100, 0]);
    all.records.remove(5);
    expect([all.records.held(), all.records.get(5)]).toEqual([99, undefined]);
  });

  it('of two generations stay in memory: a generation ends when its texts exceed the budget', () => {
    const { records, files } = stored(0, 10);
    const set = (order: number, length: number) =>
      records.set(order, record(order), { file: 1, offset: 0, length, checksum: 0 });
    set(1, 5);
    set(2, 5);
    expect(records.held()).toBe(2);
    set(3, 1);
    set(4, 1);
    expect(records.held()).toBe(4);
    set(3, 1);
    expect(records.held()).toBe(4);
    records.remove(1);
    records.remove(4);
    expect([records.held(), records.get(1), records.get(4)]).toEqual([2, undefined, undefined]);
    set(5, 9);
    // The older generation was dropped, so that record 2 is read from disk again.
    expect(records.held()).toBe(2);
    expect([records.get(3), records.get(5)]).toEqual([record(3), record(5)]);
    expect(files.reads()).toBe(0);
  });

  it('are the latest ones, even after a replacement', () => {
    const { records } = stored(30, 400);
    records.set(0, { ...record(0), text: 'new' }, placeOf('{}', 0, 1));
    expect(records.get(0)?.text).toBe('new');
  });

  it('stay readable after their file was replaced', () => {
    const { file, records } = stored(3, 0);
    writeFileSync(`${file}.new`, 'other');
    renameSync(`${file}.new`, file);
    expect(records.get(1)).toEqual(record(1));
  });

  it('whose text is damaged or cut off are refused with file and line', () => {
    const { file, files, records } = stored(5, 0);
    writeFileSync(
      file,
      [record(0), { id: 'e1', text: 'ö'.repeat(10) }, record(2)].map((each) => JSON.stringify(each)).join('\n'),
    );
    expect(records.get(2)).toEqual(record(2));
    for (const [order, line] of [
      [1, 2],
      [3, 3],
    ] as const) {
      const refused = expect(() => records.get(order));
      refused.toThrow(StoreDamaged);
      refused.toThrow(`${file}, line ${line}: the checksum does not match`);
    }
    files.closeAll();
    expect(() => records.get(0)).toThrow('The store is closed.');
  });

  it('are read once when requested several times in a row', () => {
    const { files, records } = stored(5, 0);
    const before = files.reads();
    expect([records.get(2), records.get(2), records.get(3)]).toEqual([record(2), record(2), record(3)]);
    expect(files.reads() - before).toBe(2);
    records.remove(3);
    expect(records.get(3)).toBeUndefined();
    files.closeAll();
  });
});
