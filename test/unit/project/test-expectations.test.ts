// The comparison of a test of a project with what happened.
import { describe, expect, it } from 'vitest';
import { contains, differencesOf, type Happened, type TestRun } from '../../../src/commands/testing/expectations.ts';

const run = (fields: Partial<TestRun> = {}): TestRun => ({
  id: 'x1',
  status: 'COMPLETE',
  exitCode: 0,
  log: '',
  ...fields,
});

const happened = (fields: Partial<Happened> = {}): Happened => ({
  runs: new Map([['words', [run({ log: 'words 6\nend\n' })]]]),
  states: new Map(),
  posts: [],
  failures: [],
  ...fields,
});

describe('a value', () => {
  it.each([
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, true],
    [{ a: 1 }, { a: '1' }, false],
    [{}, { a: null }, false],
    [[1, 2], [1], false],
    [[{ a: 1, b: 2 }], [{ a: 1 }], true],
    ['text', 'text', true],
    [null, {}, false],
  ])('%j contains %j: %s', (actual, expected, outcome) => {
    expect(contains(actual, expected)).toBe(outcome);
  });
});

describe('a test', () => {
  it('has no differences if everything is as expected', () => {
    const test = {
      expect: { words: { exit: 0, runs: 1, log: { contains: ['words 6', 'end'], matches: '^words \\d$' } } },
    };
    expect(differencesOf(test, happened())).toEqual([]);
  });

  it('names each difference with the expected and the actual value', () => {
    const test = { expect: { words: { exit: 3, runs: 2, state: { total: 8 }, log: { contains: 'words 7' } } } };
    const states = new Map([['words', { total: 6, other: 1 }]]);
    expect(differencesOf(test, happened({ states }))).toEqual([
      { what: 'words: runs', expected: 2, actual: 1 },
      { what: 'words: exit of x1', expected: 3, actual: 0 },
      { what: 'words: log contains', expected: 'words 7', actual: 'words 6\nend\n' },
      { what: 'words: state', expected: { total: 8 }, actual: { total: 6 } },
    ]);
  });

  it('fails if an actor without an expectation fails, or an expected actor did not run', () => {
    const runs = new Map([
      ['words', [run({ exitCode: 1 }), run({ id: 'x2', status: 'ERROR', statusMessage: 'no such image' })]],
      ['report', []],
    ]);
    expect(differencesOf({ expect: { report: {} } }, happened({ runs }))).toEqual([
      { what: 'report: runs', expected: 'at least 1', actual: 0 },
      { what: 'words: exit of x1', expected: 0, actual: 1 },
      { what: 'words: exit of x2', expected: 0, actual: 'ERROR: no such image' },
    ]);
  });

  it('may expect that an actor did not run', () => {
    const runs = new Map([['report', []]]);
    expect(differencesOf({ expect: { report: { runs: 0 } } }, happened({ runs }))).toEqual([]);
  });

  it('compares the number of posts, and finds a post of its own for each expected one', () => {
    const posts = [{ event_type: 'A', n: 1 }];
    expect(differencesOf({ webhooks: { posts: 1, json: { event_type: 'A' } } }, happened({ posts }))).toEqual([]);
    const twice = { webhooks: { posts: 2, json: [{ event_type: 'A' }, { event_type: 'A' }] } };
    expect(differencesOf(twice, happened({ posts }))).toEqual([
      { what: 'webhooks: posts', expected: 2, actual: 1 },
      { what: 'webhooks: json', expected: { event_type: 'A' }, actual: posts },
    ]);
  });

  it('fails with a link or a delivery that failed', () => {
    expect(differencesOf({}, happened({ failures: ['delivery d1: refused'] }))).toEqual([
      { what: 'failed', expected: 'nothing', actual: 'delivery d1: refused' },
    ]);
  });
});
