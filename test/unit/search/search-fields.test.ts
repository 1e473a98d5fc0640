// The fields that a search names, and what a caller may look up before it scans rows.
import { describe, expect, it } from 'vitest';
import {
  demandOn,
  looksAt,
  matchRow,
  parseSearch,
  type Search,
  takesAll,
  withoutConditions,
} from '../../../daemon/domain/search/search.ts';
import { withActorIds } from '../../../daemon/domain/search/search-aliases.ts';
import { isTimeField, parsePath, stringsOf, valuesAt } from '../../../daemon/domain/search/search-row.ts';

const compile = (pattern: string) => (line: string) => line.includes(pattern);
const parse = (query: Record<string, string>): Search => parseSearch(query, compile);

describe('the path of a field', () => {
  it.each([
    [['exitCode'], { first: ['exitCode', 'exit_code'], rest: [] }],
    [['exit_code', 'a_b'], { first: ['exit_code', 'exitCode'], rest: ['a_b'] }],
    [['_links'], { first: ['_links'], rest: [] }],
    [['a_1'], { first: ['a_1', 'a1'], rest: [] }],
    [['a'], { first: ['a'], rest: [] }],
  ])('%j is %j', (names, path) => {
    expect(parsePath(names)).toEqual(path);
  });

  it('has between one and 32 names, none of them empty', () => {
    const names = Array.from({ length: 32 }, () => 'a');
    expect(parsePath(names)).toBeDefined();
    for (const bad of [[], [''], ['a', ''], [...names, 'a']]) expect(parsePath(bad)).toBeUndefined();
  });

  it.each([
    ['startTime', true],
    ['start_time', true],
    ['finishTime', true],
    ['messageReceivedTime', true],
    ['lastExecutionTime', true],
    ['lastUpdateTime', true],
    ['createTime', true],
    ['lastHealthCheckTime', true],
    ['finalState.StartedAt', true],
    ['finalState.FinishedAt', true],
    ['finalState.started_at', false],
    ['startTime.x', false],
    ['name', false],
  ])('%s is a time: %s', (name, isTime) => {
    expect(isTimeField(parsePath(name.split('.')) ?? { first: [], rest: [] })).toBe(isTime);
  });
});

describe('the values at a path', () => {
  const row = { list: [{ a: 1 }, { a: 2 }, 3], of: { list: [[1], 2] }, text: 'abc', nothing: null, exit_code: 0 };
  it.each<[string, readonly unknown[]]>([
    ['list.a', [1, 2]],
    ['list.0.a', [1]],
    ['list', [row.list, ...row.list]],
    ['of.list', [row.of.list, [1], 2]],
    ['exitCode', [0]],
    ['text.length', [null]],
    ['nothing.a', [null]],
    ['absent', [null]],
    ['list.b', [null]],
  ])('%s are %j', (name, values) => {
    expect(valuesAt(row, parsePath(name.split('.')) ?? { first: [], rest: [] })).toEqual(values);
  });

  it('are as many as the row has, even for lists in lists', () => {
    let nested: readonly unknown[] = [];
    for (let depth = 0; depth < 64; depth += 1) nested = [nested];
    const zeros = Array.from({ length: 20 }, () => '0');
    // The lists at the depths 20 to 40, each with its entry.
    expect(valuesAt({ nested }, { first: ['nested'], rest: zeros })).toHaveLength(42);
    const lists = { nested: [[['a', 'b']], [['a', 'c']]] };
    expect(valuesAt(lists, { first: ['nested'], rest: ['0', '0'] })).toEqual([['a', 'b'], 'a', 'b', 'a']);
  });

  it('that are strings are found at any depth, except links', () => {
    const texts = stringsOf({ a: 'x', b: [{ c: 'y', _links: 'z' }], n: 1, nothing: null, _links: { self: 'http' } });
    expect([...texts].sort()).toEqual(['x', 'y', 'z']);
  });
});

describe('a search', () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ limit: '5', skip: '1' }, false],
    [{ status: 'READY' }, false],
    [{ exit_code: '1' }, true],
    [{ exitCode: '1' }, true],
    [{ search: 'word' }, true],
    [{ exactsearch: 'a phrase' }, true],
  ])('%j looks at the field exitCode: %s', (query, looks) => {
    expect(looksAt(parse(query), 'exitCode')).toBe(looks);
  });

  it.each<[Record<string, string>, readonly string[] | undefined]>([
    [{ id: 'A' }, ['A']],
    [{ 'id.eq': 'A' }, ['A']],
    [{ name: 'x', id: '7' }, ['7']],
    [{ 'id.neq': 'A' }, undefined],
    [{ 'id.in': '["A",7,"B"]' }, ['A', 'B']],
    [{ 'id.in': '[]' }, []],
    [{ 'id.x': 'A' }, undefined],
    [{ startTime: '2026' }, undefined],
    [{}, undefined],
  ])('%j demands in the field id one of the texts %j', (query, texts) => {
    expect(demandOn(parse(query), 'id')?.texts).toEqual(texts);
    expect(demandOn(parse({ startTime: '2026' }), 'startTime')?.texts ?? []).toEqual([]);
  });

  it('drops the conditions already met, and matches all rows if none is left', () => {
    const search = parse({ id: 'A', status: 'ERROR' });
    const [id, status] = [demandOn(search, 'id'), demandOn(search, 'status')];
    expect(withoutConditions(search, [id, undefined]).conditions).toEqual([status?.condition]);
    expect(takesAll(withoutConditions(search, [id]))).toBe(false);
    expect(takesAll(withoutConditions(search, [id, status]))).toBe(true);
    for (const name of ['search', 'exactsearch']) expect(takesAll(parse({ [name]: 'word' }))).toBe(false);
  });

  it.each([
    ['skip', '0', 0],
    ['skip', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['limit', '0', 0],
    ['limit', '1000', 1_000],
  ] as const)('accepts %s=%s', (name, text, value) => {
    expect(parse({ [name]: text })[name]).toBe(value);
  });

  it.each([
    ['skip', '9007199254740992', 'skip must be a whole number, 0 or more.'],
    ['skip', '-1', 'skip must be a whole number, 0 or more.'],
    ['skip', '', 'skip must be a whole number, 0 or more.'],
    ['limit', '1001', 'limit must be a whole number from 0 to 1000. Use skip to get the following rows.'],
    ['limit', '1x', 'limit must be a whole number from 0 to 1000. Use skip to get the following rows.'],
    ['limit', 'x1', 'limit must be a whole number from 0 to 1000. Use skip to get the following rows.'],
    ['search', 'w '.repeat(21), 'search must be at most 20 words.'],
    ['a..b', '1', 'a..b is not the name of a field.'],
  ])('refuses %s=%j with a sentence', (name, text, message) => {
    expect(() => parse({ [name]: text })).toThrow(message);
  });

  it('accepts fifty conditions and twenty search terms', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'x']));
    expect(parse(many(50)).conditions).toHaveLength(50);
    expect(() => parse(many(51))).toThrow('A search may have at most 50 conditions; this one has 51.');
    expect(parse({ search: ' W\t'.repeat(20) }).words).toEqual(Array.from({ length: 20 }, () => 'w'));
    expect(parse({ exactsearch: '' })).not.toHaveProperty('phrase');
  });

  it('tests a pattern against one line at a time, and pauses after each', () => {
    const lines: string[] = [];
    const search = parseSearch({ 'a.like': 'c' }, () => (line) => {
      lines.push(line);
      return line === 'c';
    });
    const long = 'x'.repeat(5_000);
    const steps = matchRow(search, { a: [`a\n\nb\n${long}`, 1, 'c', 'd'] });
    let pauses = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) pauses += 1;
    expect(step.value).toBe(true);
    expect(lines).toEqual(['a', '', 'b', long.slice(0, 4_096), 'c']);
    expect(pauses).toBe(4);
  });
});

describe('aliases in a search', () => {
  const resolve = (name: string) => (name === 'words' ? 'A1' : undefined);
  const found = (key: string, text: string) => withActorIds(parse({ [key]: text }), 'actorId', resolve).conditions;

  it.each([
    ['actorId', 'words'],
    ['actor_id.eq', 'words'],
    ['actorId.neq', 'words'],
  ])('%s=%s names the actor by its id', (key, text) => {
    expect(found(key, text)).toMatchObject([{ operand: { kind: 'value', value: 'A1', text: 'A1' } }]);
  });

  it('each entry of a list is resolved, and a name of no actor stays', () => {
    expect(found('actorId.in', '["words","other",1]')).toMatchObject([
      { operands: [{ value: 'A1', text: 'A1' }, { value: 'other', text: 'other' }, { value: 1 }] },
    ]);
    expect(found('actorId', 'other')).toMatchObject([{ operand: { value: 'other', text: 'other' } }]);
  });

  it.each([
    ['name', 'words'],
    ['actorId.x', 'words'],
    ['actorId.gt', 'words'],
    ['actorId.like', 'words'],
    ['startTime', '2026'],
  ])('%s=%s stays as it is', (key, text) => {
    const search = parse({ [key]: text });
    const field = key === 'startTime' ? key : 'actorId';
    expect(withActorIds(search, field, resolve).conditions).toStrictEqual(search.conditions);
  });
});
