// Searches: the conditions that they accept, and the rows that they find.
import { describe, expect, it } from 'vitest';
import { matchRow, parseSearch, rankRow } from '../../../daemon/domain/search/search.ts';

const compile = (pattern: string) => {
  const expression = new RegExp(pattern);
  return (line: string) => expression.test(line);
};

const row = {
  id: 'A1',
  name: 'true',
  status: 'COMPLETE',
  statusMessage: null,
  exitCode: 3,
  stateless: true,
  createTime: 2026,
  empty: '',
  hints: ['sync', 'gpu'],
  default_environment: { LEVEL: 'debug', __proto__x: 'y' },
  mounts: [{ host_path: '/a', mode: 'ro' }],
  state: { n: 1, deep: { list: [1, 2] }, eq: 'x' },
  finalState: { StartedAt: '2026-05-01T14:30:00.500Z', Status: 'exited' },
  startTime: '2026-05-01T14:30:00.500Z',
  finishTime: '2026-05-01T14:31:00.000Z',
  logs: 'first line\nERROR: disk full\nlast',
  _links: { self: 'http://127.0.0.1:8722/actors/v2/A1' },
};

const matches = (query: Record<string, string | string[]>): boolean => {
  const steps = matchRow(parseSearch(query, compile), row);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};

const refused = (query: Record<string, string>): unknown => {
  try {
    parseSearch(query, compile);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a condition', () => {
  it.each([
    ['status', 'COMPLETE', true],
    ['status', 'complete', false],
    ['status.eq', 'COMPLETE', true],
    ['status.neq', 'COMPLETE', false],
    ['status.neq', 'ERROR', true],
    ['exitCode', '3', true],
    ['exit_code', '3', true],
    ['exit_code.gt', '2', true],
    ['exit_code.gt', '3', false],
    ['exit_code.gte', '3', true],
    ['exit_code.lt', '4', true],
    ['exit_code.lte', '2.5', false],
    ['exit_code.between', '1,3', true],
    ['exit_code.between', '4,9', false],
    ['exit_code.in', '[1,3]', true],
    ['exit_code.nin', '[1,3]', false],
    ['status.in', '["ERROR","COMPLETE"]', true],
    ['status.in', "['ERROR','COMPLETE']", true],
    ['status.nin', '["ERROR"]', true],
    ['stateless', 'true', true],
    ['stateless', 'TRUE', true],
    ['stateless', 'false', false],
    ['statusMessage', 'none', true],
    ['status_message', 'None', true],
    ['statusMessage.neq', 'none', false],
    ['nowhere', 'none', true],
    ['nowhere', 'x', false],
    ['nowhere.neq', 'x', true],
    ['nowhere.lt', '5', false],
    // A text that looks like another type is still found as text.
    ['name', 'true', true],
    ['hints', 'gpu', true],
    ['hints', '["sync","gpu"]', true],
    ['hints.neq', 'gpu', false],
    ['default_environment.LEVEL', 'debug', true],
    ['defaultEnvironment.LEVEL', 'debug', true],
    ['default_environment.level', 'debug', false],
    ['mounts.mode', 'ro', true],
    ['mounts.0.mode', 'ro', true],
    ['state.n', '1', true],
    ['state.deep', '{"list":[1,2]}', true],
    ['state.deep', "{'list':[1,2]}", true],
    ['state.deep.list', '2', true],
    // A variable of a user may have the name of an operator.
    ['state.eq.eq', 'x', true],
    ['finalState.StartedAt.gt', '2026-05-01T14:30', true],
    ['final_state.StartedAt.gt', '2026-05-01T14:31', false],
    ['start_time', '2026-05-01T14:30:00.5', true],
    ['start_time.gt', '2026', true],
    ['start_time.lt', '2026-05', false],
    ['start_time.gte', '2026-05-01T16:30+02:00', true],
    ['start_time.gte', '2026-05-01T16:31+02:00', false],
    ['start_time.between', '2026-05,2026-06', true],
    ['start_time.in', '["2026-05-01T14:30:00.500Z"]', true],
    ['start_time', 'none', false],
    ['finish_time.gt', '2026-05-01T14:30:59Z', true],
    ['status.gt', 'COMP', true],
    ['status.like', '^COMP', true],
    ['status.like', '^comp', false],
    ['status.nlike', '^ERR', true],
    ['logs.like', '^ERROR: .* full$', true],
    ['logs.like', 'line.*ERROR', false],
    ['exitCode.like', '3', false],
    ['name.gt', 'true', false],
    ['name.gte', 'true', true],
    ['name.lt', 'true', false],
    ['name.lte', 'true', true],
    ['stateless.gt', '0', false],
    ['exit_code.lt', '3', false],
    ['exit_code.lte', '3', true],
    ['exit_code.between', '3,3', true],
    ['exit_code.between', '1,2', false],
    ['statusMessage.between', '-9,9', false],
    ['start_time.lte', '2026-05-01T14:30:00.500Z', true],
    ['start_time.gt', '2026-05-01T14:30:00.500Z', false],
    ['finalState.StartedAt.in', '["2026"]', false],
    ['status.lt', '["x"]', true],
    ['status.in', '[1]', false],
    ['exit_code.lt', '["x"]', false],
    ['state.deep', '{"list":[1,3]}', false],
    ['state.deep', '{"list":[1,2],"more":1}', false],
    ['state.deep', '{"other":[1,2]}', false],
    ['state.deep', '{"list":{"0":1,"1":2}}', false],
    ['state.deep', '{"list":null}', false],
    ['statusMessage', '{}', false],
    ['state', '{"n":1}', false],
    // One of several values is enough.
    ['hints.in', '["gpu"]', true],
    ['hints.nin', '["gpu"]', false],
    ['state.deep.list.gt', '1', true],
    ['state.deep.list.between', '2,3', true],
    ['eq', 'none', true],
    // A number is no time.
    ['createTime', '2026', false],
    ['createTime.gt', '2000', false],
    ['empty.like', '^$', true],
    ['constructor', 'none', true],
    ['__proto__', 'none', true],
    ['state.constructor.name', 'Object', false],
  ])('%s=%s gives %s', (key, value, expected) => {
    expect(matches({ [key]: value })).toBe(expected);
  });

  it('must all match, and the first of a repeated condition is used', () => {
    expect(matches({ status: 'COMPLETE', exitCode: '4' })).toBe(false);
    expect(matches({ status: ['COMPLETE', 'ERROR'] })).toBe(true);
    expect(matches({ status: ['ERROR', 'COMPLETE'] })).toBe(false);
  });

  it.each([
    [{ limit: '-1' }, 'limit'],
    [{ limit: 'x' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ skip: '1.5' }, 'skip'],
    [{ 'exitCode.between': '1' }, 'exitCode.between'],
    [{ 'exitCode.between': 'a,b' }, 'exitCode.between'],
    [{ 'status.in': 'COMPLETE' }, 'status.in'],
    [{ start_time: 'yesterday' }, 'start_time'],
    [{ start_time: '2026-02-31' }, 'start_time'],
    [{ '': 'x' }, ''],
    [{ 'a..b': 'x' }, 'a..b'],
    [{ state: '['.repeat(65) }, 'state'],
  ])('%j is refused with the name of the parameter', (query, field) => {
    expect(refused(query)).toMatchObject({ code: 'VALIDATION', detail: { field } });
  });

  it('are limited to fifty, and search terms to twenty', () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, 'x']));
    expect(refused(many)).toMatchObject({ code: 'VALIDATION' });
    expect(refused({ search: 'w '.repeat(21) })).toMatchObject({ code: 'VALIDATION' });
  });
});

describe('search terms and phrases', () => {
  it('exactsearch finds a phrase in any text of the row, ignoring case, and not in its links', () => {
    expect(matches({ exactsearch: 'DISK full' })).toBe(true);
    expect(matches({ exactsearch: 'full disk' })).toBe(false);
    expect(matches({ exactsearch: 'debug' })).toBe(true);
    expect(matches({ exactsearch: 'http' })).toBe(false);
  });

  it('search ranks rows and does not filter', () => {
    expect(matches({ search: 'nothing like it' })).toBe(true);
    expect(rankRow(parseSearch({ search: 'nothing' }, compile), row)).toBe(0);
    expect(rankRow(parseSearch({}, compile), row)).toBe(0);
  });

  it('search ranks rows with more of the words first, then those with more occurrences', () => {
    const ranked = (search: string, ...texts: string[]) =>
      texts
        .map((text) => ({
          text,
          rank: rankRow(parseSearch({ search }, compile), { text, _links: { self: 'disk full' } }),
        }))
        .toSorted((one, other) => other.rank - one.rank)
        .map(({ text }) => text);
    expect(ranked('disk FULL disk', 'disk disk disk', 'none', 'disk', 'Disk full', 'full disk full')).toEqual([
      ...['full disk full', 'Disk full', 'disk disk disk', 'disk', 'none'],
    ]);
    const many = 'aa '.repeat(1_000_001);
    expect(ranked('aa b', many, 'b aa')).toEqual(['b aa', many]);
  });

  it('pretty, naked and x-nonce are not conditions', () => {
    expect(parseSearch({ pretty: 'true', naked: 'true', 'x-nonce': 'n' }, compile)).toEqual({
      skip: 0,
      limit: 100,
      words: [],
      conditions: [],
    });
  });
});
