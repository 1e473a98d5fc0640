// The supported subset of jq: its outputs, and the refusal of everything else. The expected values are those of jq 1.7.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliFailure } from '../../../src/failure.ts';
import { inputFields, parseJq } from '../../../src/ui/format/jq.ts';
import type { Json } from '../../../src/ui/format/json.ts';

const actors: Json = [
  { id: 'a', name: 'wc', status: 'READY', runs: 3, env: { LOG: 'info' }, hints: ['x', 'y'] },
  { id: 'b', name: 'report', status: 'ERROR', runs: 1, env: {}, hints: [], 'odd key': null },
];

describe('--jq', () => {
  it.each<[string, Json, Json[]]>([
    ['.', 1, [1]],
    ['', 1, [1]],
    ['.[].id', actors, ['a', 'b']],
    ['.[0].env.LOG', actors, ['info']],
    ['.[-1].id', actors, ['b']],
    ['.[9]', actors, [null]],
    ['.[1]["odd key"]', actors, [null]],
    ['.[1]."odd key"', actors, [null]],
    ['.[1].["id"]', actors, ['b']],
    ['.[] | select(.status == "ERROR") | .name', actors, ['report']],
    ['.[] | select(.runs >= 2 and .status != "ERROR").id', actors, ['a']],
    ['.[] | select(.runs < 2 or .name == "wc") | .id', actors, ['a', 'b']],
    ['.[] | select(.hints | length == 0 | not) | .id', actors, ['a']],
    ['map(.id)', actors, [['a', 'b']]],
    ['map(select(.env.LOG)) | length', actors, [1]],
    ['sort_by(.runs) | .[].id', actors, ['b', 'a']],
    ['sort_by(.status, .id) | map(.id)', actors, [['b', 'a']]],
    ['first(.[].id)', actors, ['a']],
    ['.[0] | keys', actors, [['env', 'hints', 'id', 'name', 'runs', 'status']]],
    ['keys', ['p', 'q'], [[0, 1]]],
    ['.id, .name', { id: 1, name: 2 }, [1, 2]],
    ['.x // "none"', {}, ['none']],
    ['.x // .y // 3', { y: false }, [3]],
    ['(.[].env.LOG) // "none"', actors, ['info']],
    ['.a.b.c', { a: null }, [null]],
    ['.a?', 5, []],
    ['.[]?', 5, []],
    ['.a[]', { a: { x: 1, y: 2 } }, [1, 2]],
    ['length', 'héllo', [5]],
    ['length', null, [0]],
    ['length', -4, [4]],
    ['.a == -1', { a: -1 }, [true]],
    ['1, 2 | . > 1', null, [false, true]],
    ['true and (false or null)', null, [false]],
    ['sort_by(.)', [{}, [], 'a', 2, true, false, null], [[null, false, true, 2, 'a', [], {}]]],
  ])('%s', (expression, input, outputs) => expect(parseJq(expression)(input)).toEqual(outputs));

  it.each([
    ['.[] | {id, name}', '"{"'],
    ['[.[] | .id]', '"["'],
    ['.a + 1', '"+"'],
    ['test("x")', '"test(…)"'],
    ['to_entries', '"to_entries"'],
    ['..', '".."'],
    ['.[1:2]', '":"'],
    ['"a\\(1)"', 'the text'],
    ['.a as $x | $x', '"$"'],
    ['if . then 1 else 2 end', '"if"'],
    ['constructor', '"constructor"'],
  ])('%s is refused with advice to use jq, naming %s', (expression, named) => {
    let failure: unknown;
    try {
      parseJq(expression);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(CliFailure);
    expect(failure).toMatchObject({ code: 'USAGE', extras: { hint: 'pipe `-o json` into jq' } });
    expect(String(failure)).toContain(named);
  });

  it.each(['.[', 'select(', '.a |', '(.a', ', .a', '.a ==', 'select()'])(
    '%s is refused as incomplete',
    (expression) => {
      expect(() => parseJq(expression)).toThrow(CliFailure);
    },
  );

  it.each<[string, Json]>([
    ['.a', 5],
    ['.[]', 'text'],
    ['keys', 1],
    ['length', true],
    ['sort_by(.a)', {}],
  ])('%s on %j fails with the mismatch', (expression, input) => {
    expect(() => parseJq(expression)(input)).toThrow(/--jq: a/);
  });

  it('cannot read inherited properties', () => {
    expect(parseJq('.constructor')({})).toEqual([null]);
    expect(parseJq('.__proto__')({})).toEqual([null]);
  });

  it('gives outputs or a usage failure for every text', () => {
    const piece = fc.constantFrom(
      '.',
      '.a',
      '[]',
      '[0]',
      '(',
      ')',
      '|',
      ',',
      '//',
      '==',
      'and',
      'not',
      'map(',
      '"x"',
      '1',
      '-',
      '?',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
          fc.string(),
        ),
        (expression) => {
          try {
            parseJq(expression)({ a: [1, { a: 2 }] });
          } catch (error) {
            expect(error).toBeInstanceOf(CliFailure);
          }
        },
      ),
    );
  });

  it('refuses an expression that is too long for the recursive parser', () => {
    expect(() => parseJq('('.repeat(5_000))).toThrow('2000 characters');
    expect(() => parseJq('('.repeat(1_999))).toThrow('50 levels');
  });
});

describe('the fields that an expression reads of its input', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['.', []],
    ['.exit_code == 3', ['exit_code']],
    ['.a.b // ."odd key" | .c', ['a', 'odd key']],
    ['.a == 1 and (.b | .c | not) or .d', ['a', 'b', 'd']],
    ['select(.a == "x" | not).b', ['a']],
    ['first(.a, .b[0].c)', ['a', 'b']],
    ['.a | map(.b)', ['a']],
    ['map(.a) | .b', []],
    ['sort_by(.a), .b', ['b']],
  ])('%s', (expression, names) => expect(inputFields(expression)).toEqual(names));
  it('are those of a valid expression', () => expect(() => inputFields('.a |')).toThrow(CliFailure));
});
