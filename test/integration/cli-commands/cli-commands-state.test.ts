// `state` of the built program against the built daemon.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let image: string;

beforeAll(async () => {
  home = await sharedHome();
  image = shellActor(home.folder);
});

afterAll(() => home.remove());

let made = 0;
/** Creates a stateful actor, and sets these states one after the other. */
const counter = async (...states: readonly string[]): Promise<string> => {
  made += 1;
  const { id } = await home.json<{ id: string }>('actors', 'create', image, '--stateful', '--name', `counter${made}`);
  for (const state of states) await home.cli(['state', 'set', id, '--value', state]);
  return id;
};
const said = async (...args: string[]) => (await home.cli(args)).stdout;
const refused = async (args: readonly string[], code: number, words: string, env: NodeJS.ProcessEnv = {}) => {
  const { code: exit, stderr, stdout } = await home.cli(args, { env });
  expect({ exit, stdout }).toEqual({ exit: code, stdout: '' });
  expect(stderr).toContain(words);
};
const BIG = '{"big":9007199254740993}';

describe('state get', () => {
  it('prints the state unchanged, one version of it, or the part that --path or --jq selects', async () => {
    const actor = await counter(BIG, '{"a":{"b c":[1,{"d":null}]},"big":9007199254740993}');
    expect(await said('state', 'get', actor, '--version', '1')).toBe('{\n  "big": 9007199254740993\n}\n');
    expect(await said('state', 'get', actor, '--path', '.a["b c"][1]')).toBe('{\n  "d": null\n}\n');
    expect(await said('state', 'get', actor, '--jq', '.a | keys')).toContain('b c');
    await refused(['state', 'get', actor, '--path', '.a.none'], 6, 'no value at .a.none');
    await refused(['state', 'get', actor, '--path', 'a b'], 2, 'is not a valid path');
    await refused(['state', 'get', actor, '--path', '.["\\q"]'], 2, 'is not JSON');
    await refused(['state', 'get', actor, '--path', '.constructor'], 6, 'no value at');
  });

  it.each([
    [['--jq', '.n'], '12345678901234567890\n'],
    [['--jq', '.list | sort_by(.) | first'], '-98765432109876543210\n'],
    [['--jq', '.n == 12345678901234567891'], 'false\n'],
    [['-o', 'yaml'], '"n": 12345678901234567890\nd: 1.0\nlist:\n  - 9007199254740993\n  - -98765432109876543210\n'],
    [['-o', 'env'], "N=12345678901234567890\nD=1.0\nLIST='[9007199254740993,-98765432109876543210]'\n"],
    [['--fields', 'd,list', '--ndjson'], '{"d":1.0,"list":[9007199254740993,-98765432109876543210]}\n'],
    [['--template', '{{n}} {{d}} {{list}}'], '12345678901234567890 1.0 [9007199254740993,-98765432109876543210]\n'],
  ])('prints numbers as they were set with %j', async (flags, printed) => {
    const actor = await counter('{"n":12345678901234567890,"d":1.0,"list":[9007199254740993,-98765432109876543210]}');
    expect(await said('state', 'get', actor, ...flags)).toBe(printed);
  });

  it('R132 of a stateless actor exits with 7, and so does every change', async () => {
    const { id } = await home.json<{ id: string }>('actors', 'create', image);
    for (const verb of [['get'], ['set', '--value', '1'], ['clear', '-y'], ['history']]) {
      const [name = '', ...rest] = verb;
      await refused(['state', name, id, ...rest], 7, 'actor is stateless.');
    }
    const { stderr } = await home.cli(['state', 'get', id, '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'ACTOR_STATELESS' } });
  });
});

describe('state set', () => {
  it('prints the versions and the number of changes, and the new version for scripts', async () => {
    const actor = await counter('{"a":1,"b":2}');
    const file = join(home.folder, 'state.json');
    writeFileSync(file, '{"b":3,"c":4,"d":5}');
    expect(await said('state', 'set', actor, '-f', file)).toMatch(/^state of counter\d+: v1 -> v2 \(\+2 -1 ~1\)\n$/);
    expect(await said('state', 'set', actor, '--value', '[]', '-q')).toBe('3\n');
    const piped = await home.cli(['state', 'set', actor, '-f', '-', '--json'], { input: 'null' });
    expect(JSON.parse(piped.stdout)).toMatchObject({ version: 4, previous_version: 3, state: null });
  });

  it('with --if-version refuses another version, and with --dry-run changes nothing', async () => {
    const actor = await counter('1', '2');
    await refused(['state', 'set', actor, '--value', '3', '--if-version', '1'], 7, 'is v2, not v1');
    await refused(['state', 'set', actor, '--value', '3', '--if-version', '1', '--dry-run'], 7, 'is v2');
    const { stderr } = await home.cli(['state', 'patch', actor, '--merge', '{}', '--if-version', '1']);
    const [, suggested = ''] = /^try: actorctl (.*)$/m.exec(stderr) ?? [];
    expect((await home.cli(suggested.split(' '))).code).toBe(12);
    expect(await said('state', 'set', actor, '--value', '3', '--if-version', 'v2', '--dry-run')).toContain('not sent');
    expect(await said('state', 'get', actor)).toBe('2\n');
    expect(await said('state', 'set', actor, '--value', '3', '--if-version', 'v2')).toContain('v2 -> v3');
  });

  it('refuses invalid JSON before anything is sent', async () => {
    const actor = await counter('1');
    await refused(['state', 'set', actor, '--value', '{n:1}'], 2, 'is not JSON');
    await refused(['state', 'set', actor], 2, '--value');
    await refused(['state', 'set', actor, '--value', '1', '-f', '-'], 2, 'either');
    const bytes = await home.cli(['state', 'set', actor, '-f', '-'], { input: Buffer.from([0x22, 0xff, 0x22]) });
    expect(bytes).toMatchObject({ code: 2, stderr: expect.stringContaining('UTF-8') });
    expect(await said('state', 'history', actor, '-o', 'id')).toBe('1\n0\n');
  });
});

describe('state patch', () => {
  it('merges, or applies operations, and rounds no number', async () => {
    const actor = await counter('{"a":1,"b":2}');
    expect(await said('state', 'patch', actor, '--merge', '{"a":null,"c":3}')).toContain('v1 -> v2 (+1 -1 ~0)');
    const operations = '[{"op":"test","path":"/c","value":3},{"op":"replace","path":"/b","value":{"x":1}}]';
    expect(await home.json('state', 'patch', actor, '--patch', operations)).toMatchObject({
      state: { b: { x: 1 }, c: 3 },
    });
    await refused(['state', 'patch', actor, '--patch', '[{"op":"test","path":"/c","value":4}]'], 2, 'operation 1');
    const big = await counter(BIG);
    const patched = await home.cli(['state', 'patch', big, '--merge', '{"d":1.0}', '--json']);
    expect(patched.stdout).toContain('"state": {\n    "big": 9007199254740993,\n    "d": 1.0\n  }');
  });

  it('loses no simultaneous change', async () => {
    const actor = await counter('{}');
    const patches = Array.from({ length: 8 }, (_, n) =>
      home.cli(['state', 'patch', actor, '--merge', `{"k${n}":${n}}`]),
    );
    expect((await Promise.all(patches)).map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(Object.keys(await home.json('state', 'get', actor))).toHaveLength(8);
  });
});

describe('state edit', () => {
  const edit = (actor: string, editor: string) => home.cli(['state', 'edit', actor], { env: { VISUAL: editor } });

  it('sets the edited text, and creates no version if only spaces change', async () => {
    const actor = await counter(BIG);
    expect((await edit(actor, "sed -i 's/big/BIG/'")).stdout).toContain('v1 -> v2 (+1 -1 ~0)');
    expect(await said('state', 'get', actor)).toContain('"BIG": 9007199254740993');
    expect((await edit(actor, 'true')).stdout).toBe('No changes\n');
    const asJson = await home.cli(['state', 'edit', actor, '--json'], { env: { VISUAL: 'true' } });
    expect(asJson.stdout).toContain('"BIG": 9007199254740993');
    expect((await edit(actor, "sed -i 's/^ *//; s/$/ /'")).stdout).toBe('No changes\n');
    expect(await home.json('state', 'history', actor)).toMatchObject([{ version: 2 }, { version: 1 }, { version: 0 }]);
  });

  it('keeps the edited text in a file if it cannot be set', async () => {
    const actor = await counter('{"n":1}');
    const meanwhile = join(home.folder, 'meanwhile.sh');
    const other = `${process.execPath} ${join(process.cwd(), 'dist/actorctl.cjs')} state set ${actor} --value 9`;
    writeFileSync(meanwhile, `${other} >/dev/null && sed -i 's/1/7/' "$1"`);
    for (const [editor, code] of [
      ["sed -i 's/1/oops/'", 2],
      ['false', 2],
      [`sh ${meanwhile}`, 7],
    ] as const) {
      const ended = await edit(actor, editor);
      expect(ended.code).toBe(code);
      const [, file = ''] = /your text, saved in (\S+)/.exec(ended.stderr) ?? [];
      expect(readFileSync(file, 'utf8')).toContain('"n"');
      rmSync(dirname(file), { recursive: true });
    }
    await refused(['state', 'edit', actor], 3, 'EDITOR', { VISUAL: '', EDITOR: '' });
  });
});

describe('versions of a state', () => {
  it('are listed, compared with exit code 12, and restored exactly', async () => {
    const actor = await counter(BIG, '{"n":2}');
    expect(await home.json('state', 'history', actor)).toMatchObject([
      { version: 2, bytes: 7, updated_by: 'dev' },
      { version: 1 },
      { version: 0 },
    ]);
    const differ = await home.cli(['state', 'diff', actor]);
    expect(differ.code).toBe(12);
    expect(differ.stdout).toContain('--- v1\n+++ v2\n');
    const colored = await home.cli(['state', 'diff', actor, '--color', 'always']);
    expect(colored.stdout.startsWith('\u001b[1m--- v1\u001b[22m\n')).toBe(true);
    expect(await home.cli(['state', 'diff', actor, '--from', 'v2'])).toMatchObject({ code: 0, stdout: '' });
    const patch = await home.cli(['state', 'diff', actor, '--from', '2', '-f', '-', '--json'], { input: '{"n":3}' });
    expect(JSON.parse(patch.stdout)).toEqual([{ op: 'replace', path: '/n', value: 3 }]);
    await refused(['state', 'diff', actor, '--from', 'v7'], 6, 'no version 7');
    await refused(['state', 'restore', actor, 'v1'], 3, '--yes');
    expect(await said('state', 'restore', actor, 'v1', '-y')).toBe('Restored v1 as v3\n');
    expect(await said('state', 'get', actor)).toContain('9007199254740993');
    expect(await said('state', 'clear', actor, '-y')).toMatch(/^Cleared the state of counter\d+: v4\n$/);
    expect(await said('state', 'clear', actor, '-y')).toMatch(/^The state of counter\d+ was empty\n$/);
  });

  it('are not found for an execution that set no state', async () => {
    const actor = await counter('1');
    const { execution_id: execution } = await home.json<{ execution_id: string }>('run', actor, '-m', 'x');
    await refused(['state', 'diff', actor, '--execution', execution], 6, 'no stored state from execution');
  });

  it('are shown live by watch', async () => {
    const actor = await counter('{"n":1,"big":9007199254740993}');
    const watching = home.cli(['state', 'watch', actor, '--max', '2', '--ndjson']);
    const changing = (async () => {
      // The watch starts at the version that it finds, which the test cannot predict.
      for (let n = 2; ; n += 1) {
        await home.cli(['state', 'set', actor, '--value', `{"n":${n},"big":9007199254740993}`]);
        if (await Promise.race([watching.then(() => true), new Promise((go) => setTimeout(go, 100, false))])) return;
      }
    })();
    const { code, stdout } = await watching;
    await changing;
    expect(code).toBe(0);
    expect(stdout.match(/"state":\{"n":\d+,"big":9007199254740993\}/g)).toHaveLength(2);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { version: number; patch: { path: string }[] });
    expect(events).toHaveLength(2);
    expect(events[1]?.version).toBe((events[0]?.version ?? 0) + 1);
    expect(events.every(({ patch }) => patch[0]?.path === '/n')).toBe(true);
  });
});
