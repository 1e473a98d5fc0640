// Unusual values in every body and every field of the contract: no internal error, no partial change, no change of
// object prototypes, and a store that reads back what it wrote.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod/mini';
import { openStore } from '../../../daemon/store/store.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { all, contentOf, type NamesFixture, startNamesFixture } from '../../support/contract/bad-names.ts';
import { typed } from '../../support/service/call.ts';

// Each test sends hundreds of requests, and the machine may be busy.
let fixture: NamesFixture;
const inherited = Object.getOwnPropertyNames(Object.prototype);
const start = async (): Promise<NamesFixture> => (await startNamesFixture()).fixture;
const close = async ({ service }: NamesFixture): Promise<void> => {
  expect(service.complaints).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
  await service.close();
};
beforeAll(async () => {
  fixture = await start();
});
afterAll(() => close(fixture));

const json = (text: string) => typed('application/json', text);
const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Operations with a JSON body. The OAuth endpoints accept forms. */
const takers = all.filter(({ body }) => body === 'json' || body === 'form-or-json' || body === 'message');
const shapeOf = ({ input }: Operation): Readonly<Record<string, z.ZodMiniType>> =>
  'shape' in input ? Object(input.shape) : {};
const fieldsOf = (operation: Operation): readonly string[] => Object.keys(shapeOf(operation));

/** The first field of the contract with this schema. */
const firstWith = new Map<z.ZodMiniType, string>();
for (const operation of takers) {
  for (const [field, schema] of Object.entries(shapeOf(operation))) {
    if (!firstWith.has(schema)) firstWith.set(schema, `${operation.id}.${field}`);
  }
}

/**
 * The fields of an operation in which a value has yet to be tried: a schema that refuses the value does so in every
 * operation that has it, so the first of these operations shows the refusal. What a schema accepts is tried in each.
 */
const fieldsToTry = (operation: Operation, text: string): readonly string[] =>
  fieldsOf(operation).filter((field) => {
    const schema = shapeOf(operation)[field];
    if (schema === undefined || firstWith.get(schema) === `${operation.id}.${field}`) return true;
    return z.safeParse(schema, JSON.parse(text)).success;
  });

/** Sends a body and returns the status. A refused request must change nothing. */
const send = async (operation: Operation, text: string): Promise<number> => {
  const before = fixture.changes();
  const answer = await fixture.ask(operation, fixture.pathOf(operation), json(text));
  const what = `${operation.id} ${answer.status} ${text.slice(0, 100)} ${answer.text.slice(0, 300)}`;
  expect(answer.status, what).toBeLessThan(500);
  expect(answer.json, what).toMatchObject({ version: '1.9.1' });
  if (answer.status !== 200) expect(fixture.changes(), what).toEqual(before);
  return answer.status;
};

/** The valid body of an operation as JSON text, with one member added or replaced. */
const withMember = (operation: Operation, field: string, text: string): string => {
  const rest = Object.entries(fixture.bodyOf(operation) ?? {}).filter(([name]) => name !== field);
  return `{${[...rest.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `${JSON.stringify(field)}:${text}`].join(',')}}`;
};

const values: readonly (readonly [what: string, text: string])[] = [
  ['a number outside the range of a double', '1e400'],
  ['a negative number outside the range of a double', '-1e400'],
  ['a nested number outside the range of a double', '{"A":1e400}'],
  ['half a character', '"\\ud800"'],
  ['half of a surrogate pair as a member name', '{"\\udfff":"x"}'],
  ['a member named __proto__', '{"__proto__":{"admin":true}}'],
  ['a nested member named __proto__', '{"a":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}}'],
  ['a repeated member', '{"A":"1","A":"2"}'],
  ['NUL', '"\\u0000"'],
  ['a megabyte', `"${'x'.repeat(1_000_000)}"`],
  ['ten thousand entries', `[${'"x",'.repeat(9_999)}"x"]`],
  ['a number with more digits than a double', '12345678901234567890.123456789'],
  ['true', 'true'],
  ['null', 'null'],
  ['an empty list', '[]'],
];

describe('R112 in every body', () => {
  it('10 000 levels of nesting are refused and change nothing', async () => {
    expect(takers.length).toBeGreaterThan(15);
    for (const operation of takers) {
      expect(await send(operation, deep(10_000)), operation.id).not.toBe(200);
    }
    // The depth is measured before the fields are distinguished, so one operation shows it for fields.
    const [create] = takers.filter(({ id }) => id === 'actors.create');
    if (create === undefined) throw new Error('the contract has no actors.create');
    for (const field of fieldsOf(create)) {
      expect(await send(create, withMember(create, field, deep(10_000))), field).not.toBe(200);
    }
  });

  it('members named __proto__ and constructor change no prototype', async () => {
    for (const operation of takers.filter(({ body }) => body !== 'message')) {
      for (const text of ['{"admin":true}', '{"prototype":{"admin":true}}', '"x"', 'null']) {
        await send(operation, withMember(operation, '__proto__', text));
        await send(operation, withMember(operation, 'constructor', text));
      }
    }
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });

  it('the last of two members with the same name counts', async () => {
    const { service } = fixture;
    const path = `/actors/v2/${await service.actor('ana')}/permissions`;
    const { result } = await service.ask(
      'ana',
      'POST',
      path,
      json('{"user":"root","level":"UPDATE","user":"bob","level":"READ"}'),
    );
    expect(result).toEqual({ ana: 'UPDATE', bob: 'READ' });
  });
});

describe('R112 in every field', () => {
  it.each(values)('%s is refused and changes nothing, or is accepted', async (_, text) => {
    for (const operation of takers) {
      for (const field of fieldsToTry(operation, text)) await send(operation, withMember(operation, field, text));
    }
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });
});

const looks = all.filter(({ method, answer, body }) => method === 'GET' && answer === 'envelope' && body === 'none');

it('R112 every list and record that contains accepted values can be read', async () => {
  for (const operation of looks) {
    const { status, text } = await fixture.ask(operation, fixture.pathOf(operation));
    // Some need a parameter.
    expect([200, 400, 404], `${operation.id} ${text.slice(0, 300)}`).toContain(status);
  }
});

describe('R112 in every query parameter', () => {
  // Of a fixture of their own: lists of all created resources would take most of the time.
  let fixture: NamesFixture;
  beforeAll(async () => {
    fixture = await start();
  });
  afterAll(() => close(fixture));

  const texts = [
    '',
    '1e400',
    '-1',
    '%00',
    '%',
    '%FF',
    '%ED%A0%80',
    '[',
    '(a+)+$',
    '__proto__',
    '%7B%22__proto__%22%3A1%7D',
    'x'.repeat(8_000),
  ];

  const unknown = ['__proto__', 'constructor', 'name.like', 'name.between', 'a[__proto__]'];
  /** Whether parameters of any name reach the handler, as those of a search do. */
  const isLoose = ({ query }: Operation): boolean =>
    query instanceof z.ZodMiniObject && query._zod.def.catchall !== undefined;

  it('an operation reads its declared parameters, and a search reads any', () => {
    expect(looks.filter(isLoose).map(({ id }) => id)).toEqual([
      'actors.list',
      'executions.list',
      'executions.logs',
      'workers.list',
      'search.find',
    ]);
  });

  /**
   * Sends the query for each own parameter of each operation. Unknown names are dropped by one rule for all operations
   * that are no search, so each of these gets a different unknown name with each `turn`.
   */
  const send = async (query: (name: string) => string, turn: number): Promise<void> => {
    for (const [at, operation] of looks.entries()) {
      const own = 'shape' in operation.query ? Object.keys(operation.query.shape) : [];
      const others = isLoose(operation) ? unknown : [unknown[(at + turn) % unknown.length] ?? ''];
      for (const name of [...own, ...others]) {
        const answer = await fixture.ask(operation, `${fixture.pathOf(operation)}?${query(name)}`);
        const what = `${operation.id} ${query(name).slice(0, 100)} ${answer.text.slice(0, 300)}`;
        expect([200, 400, 404], what).toContain(answer.status);
      }
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
  };

  it.each(texts.map((text, turn) => ({ text, turn })))('$text causes no internal error', ({ text, turn }) =>
    send((name) => `${name}=${text}`, turn),
  );
  it('two values of a name are refused, or one is used', () => send((name) => `${name}=1&${name}=2`, texts.length));
});

it('the store reads back every accepted value unchanged', async () => {
  const { store, folder, dependencies } = fixture.service;
  const content = contentOf(store);
  await store.close();
  const again = await openStore({ folder, clock: dependencies.clock, logger: dependencies.logger });
  expect(contentOf(again)).toBe(content);
  await again.close();
});
