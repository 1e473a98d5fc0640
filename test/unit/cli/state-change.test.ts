// Changes of a state in the command line: patches, differences, and the JSON text shown to people.
import { describe, expect, it } from 'vitest';
import {
  applyPatch,
  formatCounts,
  mergePatch,
  patchBetween,
  unifiedDiff,
} from '../../../src/commands/state/state-change.ts';
import { exactText, parseExact } from '../../../src/contract/exact-json.ts';
import { plain } from '../../../src/ui/color.ts';
import { prettyJson } from '../../../src/ui/format/json-text.ts';

describe('a merge patch', () => {
  // The examples of RFC 7386 appendix A.
  const cases: [string, string, string][] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"a":1}', '{"__proto__":{"x":1}}', '{"a":1,"__proto__":{"x":1}}'],
  ];
  it.each(cases)('turns %s with the patch %s into %s', (target, patch, merged) => {
    expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(merged);
  });
});

describe('numbers that a double would change', () => {
  const state = '{"n":98765432109876543210,"d":1.0,"list":[1e400,"\\tn5"]}';
  const patched = async (operations: string) =>
    exactText(await applyPatch(parseExact(state), parseExact(operations), 'A1'));

  it('keep their digits in a merge patch, in the state and in the patch', () => {
    const merged = mergePatch(parseExact(state), parseExact('{"d":2.50,"list":{"x":-0}}'));
    expect(exactText(merged)).toBe('{"n":98765432109876543210,"d":2.50,"list":{"x":-0}}');
  });

  it('keep their digits in a patch of operations', async () => {
    expect(
      await patched('[{"op":"copy","from":"/list/0","path":"/c"},{"op":"replace","path":"/d","value":[7.0]}]'),
    ).toBe('{"n":98765432109876543210,"d":[7.0],"list":[1e400,"\\tn5"],"c":1e400}');
  });

  it('are equal in a test operation if only the spelling differs', async () => {
    expect(await patched('[{"op":"test","path":"/d","value":1}]')).toBe(state);
    expect(await patched('[{"op":"test","path":"/list","value":[1.0e400,"\\tn5"]}]')).toBe(state);
    await expect(patched('[{"op":"test","path":"/n","value":98765432109876543211}]')).rejects.toThrow('operation 1');
  });

  it('differ in the last digit and in the spelling', async () => {
    const between = async (from: string, to: string) => exactText(await patchBetween(parseExact(from), parseExact(to)));
    expect(await between('{"n":98765432109876543210}', '{"n":98765432109876543211}')).toBe(
      '[{"op":"replace","path":"/n","value":98765432109876543211}]',
    );
    expect(await between('[1]', '[1.0]')).toBe('[{"op":"replace","path":"/0","value":1.0}]');
    expect(await between(state, state)).toBe('[]');
  });
});

describe('a patch of operations', () => {
  it('is applied completely or not at all, to a copy', async () => {
    const state = { n: 1, list: ['a'] };
    const patch = [
      { op: 'test', path: '/n', value: 1 },
      { op: 'replace', path: '/n', value: 2 },
      { op: 'add', path: '/list/-', value: 'b' },
      { op: 'move', from: '/list/0', path: '/first' },
    ];
    expect(await applyPatch(state, patch, 'A1')).toEqual({ n: 2, list: ['b'], first: 'a' });
    expect(state).toEqual({ n: 1, list: ['a'] });
  });

  it('can replace the whole state', async () => {
    expect(await applyPatch({ n: 1 }, [{ op: 'replace', path: '', value: 7 }], 'A1')).toBe(7);
    expect(await applyPatch(5, [{ op: 'test', path: '', value: 5 }], 'A1')).toBe(5);
  });

  const refused: [string, unknown, string][] = [
    ['no list', { op: 'add' }, 'list of operations'],
    ['no operation', [{ op: 'add' }], 'list of operations'],
    ['an unknown operation', [{ op: 'turn', path: '/n' }], 'operation 1'],
    ['a place that is not there', [{ op: 'replace', path: '/none/deep', value: 1 }], 'operation 1'],
    [
      'a failed test',
      [
        { op: 'add', path: '/m', value: 1 },
        { op: 'test', path: '/n', value: 9 },
      ],
      'operation 2',
    ],
    ['a path that is not there', [{ op: 'remove', path: '/m' }], 'the state has nothing at this path'],
    ['another value', [{ op: 'test', path: '/n', value: 9 }], 'the state has another value at this path'],
    ['an unknown operation', [{ op: 'set', path: '/n', value: 9 }], 'there is no such operation'],
    ['a path without a slash', [{ op: 'add', path: 'n', value: 1 }], 'must begin'],
    ['a prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }], 'cannot change /__proto__/x'],
    ['a prototype to copy from', [{ op: 'copy', from: '/constructor', path: '/x' }], 'cannot change'],
  ];
  it.each(refused)('refuses %s', async (_name, patch, words) => {
    await expect(applyPatch({ n: 1 }, patch, 'A1')).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(words),
    });
    expect(Object.prototype).not.toHaveProperty('x');
  });

  it.each([
    [{ op: 'remove', path: '/m' }, 'nothing was changed; to see the state: actorctl state get A1'],
    [{ op: 'add', path: '/__proto__/x', value: 1 }, 'actorctl state edit A1'],
  ])('that fails suggests a command with the actor: %j', async (operation, hint) => {
    await expect(applyPatch({ n: 1 }, [operation], 'A1')).rejects.toMatchObject({ extras: { hint } });
  });

  it('is computed from two values, and its operations are counted', async () => {
    const patch = await patchBetween({ a: 1, b: 2, c: [1] }, { b: 3, c: [1, 2], d: 4 });
    expect(formatCounts(patch)).toBe('+2 -1 ~1');
    expect(formatCounts(await patchBetween(1, 2))).toBe('+0 -0 ~1');
    expect(await patchBetween({ a: 1 }, { a: 1 })).toEqual([]);
  });
});

describe('JSON text for people', () => {
  it('has one line per member, and keeps each value as written', () => {
    const text = ' {"b":1e400 ,"a":[9007199254740993,{} , [ ]],"s":"{\\"x\\": [,]}","s":2}';
    expect(prettyJson(text)).toBe(
      '{\n  "b": 1e400,\n  "a": [\n    9007199254740993,\n    {},\n    []\n  ],\n  "s": "{\\"x\\": [,]}",\n  "s": 2\n}',
    );
    expect(prettyJson(' "x" ')).toBe('"x"');
  });

  it('equals JSON.stringify for ordinary values', () => {
    for (const value of [null, 0, '', [], {}, [1, [2, []]], { a: { b: [null, true] }, c: 'x, y: {z}' }]) {
      expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }
  });

  it('is compared line by line, ignoring white space', async () => {
    const side = (name: string, text: string) => ({ name, text });
    expect(await unifiedDiff(side('a', '{"n":1}'), side('b', '{ "n" : 1 }'), plain)).toBe('');
    expect(await unifiedDiff(side('v1', '{"n":1}'), side('v2', '{"n":2}'), plain)).toBe(
      '--- v1\n+++ v2\n@@ -1,3 +1,3 @@\n {\n-  "n": 1\n+  "n": 2\n }\n',
    );
  });

  it('R163 is compared without characters that control a terminal', async () => {
    const [from, to] = ['{"n":"\u009b2J"}', '{"n":"\u202e"}'];
    const text = await unifiedDiff({ name: 'a\u001b[2Jb', text: from }, { name: 'c', text: to }, plain);
    expect(text).toContain('--- ab\n');
    expect(text).toContain('-  "n": "\\u009b2J"\n+  "n": "\\u202e"\n');
  });
});
