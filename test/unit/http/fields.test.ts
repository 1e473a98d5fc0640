// The fields of a request: spellings, absent values, members of objects, and the text of each refusal.
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Failure } from '../../../daemon/domain/failure.ts';
import { fieldReader, ignoredSentence } from '../../../daemon/http/request/fields.ts';

const read = fieldReader(
  z.object({
    clientName: z.optional(z.string()),
    max_uses: z.optional(z.number()),
    isOn: z.optional(z.boolean()),
    hints: z.optional(z.array(z.string())),
    kind: z.optional(z.enum(['a', 'b'])),
    either: z.optional(z.union([z.string(), z.number()])),
    inner: z.optional(z.object({ deep: z.object({ n: z.number() }) })),
    default_environment: z.optional(z.record(z.string().check(z.regex(/^[A-Z_]+$/, 'letters only')), z.string())),
    short: z.optional(z.string().check(z.maxLength(2, 'must be at most 2 characters'))),
  }),
);
const required = fieldReader(z.object({ clientName: z.string(), size: z.number() }));

const failureOf = (act: () => unknown): Failure => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the fields of a request', () => {
  it.each<[unknown, object]>([
    [undefined, {}],
    [{}, {}],
    [
      { clientName: 'x', maxUses: 1 },
      { clientName: 'x', max_uses: 1 },
    ],
    [
      { client_name: 'x', max_uses: 1 },
      { clientName: 'x', max_uses: 1 },
    ],
    [{ clientName: 'x', client_name: 'x' }, { clientName: 'x' }],
    [{ clientName: null, is_on: undefined }, {}],
    [
      { 'default_environment[LEVEL]': '1', 'default_environment[B]': '2' },
      { default_environment: { LEVEL: '1', B: '2' } },
    ],
    [
      { 'defaultEnvironment[A]': '1', clientName: 'x' },
      { default_environment: { A: '1' }, clientName: 'x' },
    ],
    [{ default_environment: { A: '1' } }, { default_environment: { A: '1' } }],
  ])('%j are read as %j', (raw, value) => {
    const fields = read(raw);
    expect(JSON.parse(JSON.stringify(fields.value))).toEqual(value);
    expect(fields.unknown).toEqual([]);
  });

  it('that are unknown are dropped and named', () => {
    const raw = JSON.parse('{"clientName":"x","imge":1,"__proto__":2,"hints[a]":3,"clientName[a]":4,"[a]":5,"a]":6}');
    const { value, unknown } = read(raw);
    expect(value).toEqual({ clientName: 'x' });
    expect(unknown).toEqual(['imge', '__proto__', 'hints[a]', 'clientName[a]', '[a]', 'a]']);
  });

  it('that are unknown stay in a loose schema, except __proto__', () => {
    const { value, unknown } = fieldReader(z.looseObject({ a: z.optional(z.string()) }))(
      JSON.parse('{"a":"1","b":2,"__proto__":3}'),
    );
    expect(Object.entries(value)).toEqual([
      ['a', '1'],
      ['b', 2],
    ]);
    expect(unknown).toEqual(['b', '__proto__']);
  });

  it.each<[unknown, string, string | undefined]>([
    [[], 'The body must be a JSON object.', undefined],
    ['x', 'The body must be a JSON object.', undefined],
    [null, 'The body must be a JSON object.', undefined],
    [
      { clientName: 'a', client_name: 'b' },
      'clientName and client_name are the same field but differ. Send one of them.',
      'clientName',
    ],
    [{ client_name: 5 }, 'client_name must be text.', 'clientName'],
    [{ clientName: ['a', 'b'] }, 'clientName must be given once.', 'clientName'],
    [{ max_uses: 'x' }, 'max_uses must be a number.', 'max_uses'],
    [{ is_on: 'x' }, 'is_on must be true or false.', 'isOn'],
    [{ hints: 'x' }, 'hints must be a list.', 'hints'],
    [{ hints: ['a', 5] }, 'hints.1 must be text.', 'hints'],
    [{ kind: 'c' }, 'kind must be one of a, b.', 'kind'],
    [{ either: true }, 'either is not an accepted value.', 'either'],
    [{ inner: 5 }, 'inner must be an object.', 'inner'],
    [{ inner: {} }, 'inner.deep is required.', 'inner'],
    [{ inner: { deep: { n: 'x' } } }, 'inner.deep.n must be a number.', 'inner'],
    [{ default_environment: 5 }, 'default_environment must be an object.', 'default_environment'],
    [
      { default_environment: { a: 'x' } },
      'default_environment.a is not a valid name: letters only.',
      'default_environment',
    ],
    [{ short: 'abc' }, 'short must be at most 2 characters.', 'short'],
    [{ short: 'abc', imge: 1 }, 'short must be at most 2 characters. Ignored unknown fields: imge.', 'short'],
    [{ short: 'abc', kind: 'c' }, 'kind must be one of a, b; short must be at most 2 characters.', 'kind'],
    [
      { default_environment: {}, 'default_environment[A]': '1' },
      'default_environment must be sent either whole or as separate members, not both.',
      'default_environment',
    ],
  ])('%j are refused: %s', (raw, message, field) => {
    expect(failureOf(() => read(raw))).toMatchObject({
      code: 'VALIDATION',
      message,
      detail: field === undefined ? undefined : { field },
    });
  });

  it('that are missing are named as in the contract', () => {
    expect(failureOf(() => required({})).message).toBe('clientName is required; size is required.');
    expect(failureOf(() => required({ size: null, client_name: 'x' })).message).toBe('size is required.');
  });

  it('of a body that is no object are described by the body', () => {
    const list = fieldReader(z.array(z.number()));
    expect(list([1]).value).toEqual([1]);
    expect(failureOf(() => list('x'))).toMatchObject({ message: 'The body must be a list.', detail: {} });
    expect(failureOf(() => list([1, 'x'])).message).toBe('1 must be a number.');
  });

  it('are named for at most ten faults', () => {
    const faults = failureOf(() => fieldReader(z.array(z.number()))(Array.from({ length: 12 }, () => 'x'))).message;
    expect(faults.split('; ')).toHaveLength(10);
  });

  it('parsed from one text are not listed individually in a refusal', () => {
    const parsed = z.pipe(
      z.pipe(
        z.string(),
        z.transform((text) => text.split(',')),
      ),
      z.array(z.enum(['a', 'b'])),
    );
    expect(failureOf(() => fieldReader(z.object({ roles: parsed }))({ roles: 'a,c' })).message).toBe(
      'roles must be one of a, b.',
    );
  });
});

describe('a later refusal', () => {
  const { withSentNames } = read({ client_name: 'x', kind: 'a' });

  it('names a field as it was sent', () => {
    const thrown = withSentNames(new Failure('VALIDATION', 'clientName is taken', { field: 'clientName' }));
    expect(thrown).toMatchObject({
      code: 'VALIDATION',
      message: 'client_name is taken',
      detail: { field: 'clientName' },
    });
  });

  it.each([
    new Error('clientName'),
    new Failure('VALIDATION', 'clientName is taken'),
    new Failure('VALIDATION', 'taken: clientName', { field: 'clientName' }),
    new Failure('VALIDATION', 'kind is wrong', { field: 'kind' }),
    new Failure('VALIDATION', 'hints are wrong', { field: 'hints' }),
    new Failure('VALIDATION', '5 is wrong', { field: 5 }),
  ])('stays as it is: %s', (thrown) => {
    expect(withSentNames(thrown)).toBe(thrown);
  });
});

describe('the sentence about ignored fields', () => {
  it('names at most ten, each short and printable', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`);
    expect(ignoredSentence([])).toBe('');
    expect(ignoredSentence(['a', 'b'])).toBe(' Ignored unknown fields: a, b.');
    expect(ignoredSentence(names(10))).toBe(` Ignored unknown fields: ${names(10).join(', ')}.`);
    expect(ignoredSentence(names(12))).toBe(` Ignored unknown fields: ${names(10).join(', ')} and 2 more.`);
    expect(ignoredSentence(['x'.repeat(64), 'y'.repeat(65)])).toBe(
      ` Ignored unknown fields: ${'x'.repeat(64)}, ${'y'.repeat(64)}….`,
    );
    expect(ignoredSentence(['a\u001b[2J\u0000'])).toBe(' Ignored unknown fields: a�[2J�.');
  });
});
