// Copies of records with further fields.
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { withFields } from '../../../daemon/domain/records/with-fields.ts';

const record = Object.freeze({ id: 'e1', status: 'SUBMITTED', size: 5 });

it('a copy with further fields equals the spread of both, and leaves the record as it was', () => {
  const copy = withFields(record, { status: 'RUNNING', workerId: 'w1', note: undefined });
  expect(copy).toStrictEqual({ ...record, status: 'RUNNING', workerId: 'w1', note: undefined });
  expect(Object.keys(copy)).toEqual(['id', 'status', 'size', 'workerId', 'note']);
  expect(record).toEqual({ id: 'e1', status: 'SUBMITTED', size: 5 });
});

it('copies with the same fields have one hidden class', () => {
  setFlagsFromString('--allow-natives-syntax');
  const haveSameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
  const copies = Array.from({ length: 1_000 }, (_, n) => withFields({ ...record }, { workerId: `w${n}` }));
  expect(copies.slice(-100).filter((copy) => !haveSameMap(copy, copies.at(-1) ?? {}))).toEqual([]);
});
