// Expressions of jq: their outputs, their errors, and numbers with all digits.
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/contract/exact-json.ts';
import { CliFailure } from '../../../src/failure.ts';
import { compileJq } from '../../../src/ui/format/jq.ts';
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
    ['[.[].id]', actors, [['a', 'b']]],
    ['.[0] | {name, id}', actors, [{ name: 'wc', id: 'a' }]],
    ['map(.id) | join(",")', actors, ['a,b']],
    ['.[] | [.id, .runs] | @csv', actors, ['"a",3', '"b",1']],
    ['map(select(.name | test("^re"))) | length', actors, [1]],
    ['to_entries | map(.key)', { x: 1, y: 2 }, [['x', 'y']]],
    ['group_by(.status) | map(length)', actors, [[1, 1]]],
    ['[.[].runs] | add', actors, [4]],
    ['.[0].runs as $n | "\\($n) runs"', actors, ['3 runs']],
    ['if .[0].runs > 2 then "many" else "few" end', actors, ['many']],
    ['try error("x") catch .', null, ['x']],
    ['reduce .[] as $each (0; . + $each.runs)', actors, [4]],
    ['def twice: . * 2; .[0].runs | twice', actors, [6]],
    ['[limit(3; repeat(1))]', null, [[1, 1, 1]]],
    ['[paths]', { a: [1] }, [[['a'], ['a', 0]]]],
    ['.. | numbers', { a: [1, { b: 2 }] }, [1, 2]],
    ['.a[1:2]', { a: [1, 2, 3] }, [[2]]],
    ['.a |= . + 1', { a: 1 }, [{ a: 2 }]],
    ['empty', null, []],
    ['"a\\nb", .', '\u0000\ud83d\ude00\u2028', ['a\nb', '\u0000\ud83d\ude00\u2028']],
    ['. # a comment', 1, [1]],
    ['-1', null, [-1]],
  ])('%s', async (expression, input, outputs) => expect((await compileJq(expression))(input)).toEqual(outputs));

  it('keeps all digits of numbers that it passes on', async () => {
    const text = (value: string) => new ExactNumber(value);
    const values = [text('12345678901234567890'), text('1.10'), text('1.0'), text('0.1000')];
    expect((await compileJq('map(.) | .[]'))(values)).toEqual(values);
    expect((await compileJq('. == 12345678901234567891'))(text('12345678901234567890'))).toEqual([false]);
  });

  it.each([
    ['.[', 'syntax error'],
    ['select(', 'syntax error'],
    ['.a |', 'syntax error'],
    ['.a ==', 'syntax error'],
    ['nothing', 'nothing/0 is not defined'],
    ['import "a" as a; .', 'syntax error'],
  ])('%s is refused before a command runs', async (expression, reason) => {
    const refusal = await compileJq(expression).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(CliFailure);
    expect(refusal).toMatchObject({ code: 'USAGE', message: expect.stringMatching(/^--jq: [^\n]+$/) });
    expect(String(refusal)).toContain(reason);
  });

  it.each<[string, Json, string]>([
    ['.a', 5, 'Cannot index number with string "a"'],
    ['.[]', 'text', 'Cannot iterate over string'],
    ['keys', 1, 'has no keys'],
    ['error("no luck")', null, 'no luck'],
  ])('%s on %j fails with the reason', async (expression, input, reason) => {
    const filter = await compileJq(expression);
    expect(() => filter(input)).toThrow(`--jq: `);
    expect(() => filter(input)).toThrow(reason);
  });

  it('sees no variable of this process', async () => {
    const [seen] = (await compileJq('env'))(null);
    expect(Object.keys(seen as object)).not.toContain('ACTORCTL_HOME');
    expect(JSON.stringify(seen)).not.toContain(process.env['HOME']);
  });

  it('leaves the listeners of signals as they were', async () => {
    const count = process.listenerCount('SIGINT');
    const listener = () => undefined;
    process.on('SIGINT', listener);
    (await compileJq('.'))(1);
    expect(process.listenerCount('SIGINT')).toBe(count + 1);
    process.removeListener('SIGINT', listener);
  });
});
