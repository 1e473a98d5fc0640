// The members of JSON objects, letter by letter.
import { describe, expect, it } from 'vitest';
import { jsonItems, jsonMember, jsonMembers } from '../../../src/contract/json-scanner.ts';

describe('the members of a JSON text', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    ['{}', []],
    [' { } ', []],
    ['{"a":1}', [['a', '1']]],
    [
      '{ "a" : 1 , "b" : [ 1 , 2 ] }',
      [
        ['a', '1'],
        ['b', '[ 1 , 2 ]'],
      ],
    ],
    [
      '{"a":1,"a":2}',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['{"a":1e400}', [['a', '1e400']]],
    ['{"a":"},\\"b\\":[{"}', [['a', '"},\\"b\\":[{"']]],
    ['{"\\u0061\\"":true}', [['a"', 'true']]],
    [
      '{"__proto__":{"a":{"b":"}"}},"x":null}',
      [
        ['__proto__', '{"a":{"b":"}"}}'],
        ['x', 'null'],
      ],
    ],
    ['{"a":"\\\\"}', [['a', '"\\\\"']]],
  ])('of %s are found', (text, members) => {
    expect(jsonMembers(text)).toEqual(members);
  });
  it.each(['1', 'null', '[]', '"{}"', 'true'])('%s has none', (text) => {
    expect(jsonMembers(text)).toBeUndefined();
  });
  it('of one name the last counts, as for JSON.parse', () => {
    expect(jsonMember('{"a":1,"b":2,"a":3}', 'a')).toBe('3');
    expect(jsonMember('{"a":1}', 'toString')).toBeUndefined();
  });
  it('are found in a text of one megabyte', () => {
    const long = JSON.stringify('\\"'.repeat(500_000));
    expect(jsonMember(`{"x":${long},"y":1}`, 'x')).toBe(long);
  });
});

describe('the items of a JSON text', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', ['1']],
    ['[ 1e400 , "a,]" ,[2,{"b":"]"}], {} ]', ['1e400', '"a,]"', '[2,{"b":"]"}]', '{}']],
    ['{"0":1}', undefined],
    ['"[1]"', undefined],
  ])('of %s', (text, items) => expect(jsonItems(text)).toEqual(items));
});
