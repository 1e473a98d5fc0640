// Completion: the candidates at the cursor, the arguments that bash passes, and the block in a start-up file.
import { describe, expect, it } from 'vitest';
import { answer, typedIn } from '../../../src/commands/completion/answer.ts';
import { placeOf } from '../../../src/commands/completion/place.ts';
import { isSafe } from '../../../src/commands/completion/words.ts';
import { catalog } from '../../../src/commands/framework/catalog.ts';
import { loadLeaves, loadNode } from '../../../src/commands/framework/command.ts';
import { CliFailure } from '../../../src/failure.ts';
import { withBlock } from '../../../src/local/shell-files.ts';

/** The candidates offered at the end of a line; names of the service are written as `<what>`. */
const offered = async (line: string): Promise<readonly string[]> => {
  const typed = typedIn(['bash', ':', `actorctl ${line}`]);
  if (!typed) throw new Error('not understood');
  const text = await answer(typed, async (what, { partial }) => [{ word: `${partial}<${what}>`, about: '' }]);
  return text
    .trimEnd()
    .split('\n')
    .map((each) => each.split('\t')[0] ?? '');
};

const lines: readonly (readonly [string, readonly string[]])[] = [
  ['actors sho', ['words', 'show']],
  ['--instance two actor sho', ['words', 'show']],
  ['actors show ', ['words', '<actor>']],
  ['actors show w', ['words', 'w<actor>']],
  ['actor get ', ['words', '<actor>']],
  ['--json actors --no-input show --color never ', ['words', '<actor>']],
  ['actors delete one two ', ['words', '<actor>']],
  ['send -m "to be or not" ', ['words', '<actor>']],
  ['send -m ', ['words']],
  ['executions list --status C', ['words', 'COMPLETE', 'CANCELLED']],
  ['executions list --status=C', ['words', '--status=COMPLETE', '--status=CANCELLED']],
  ['executions list -o n', ['words', 'name', 'ndjson']],
  ['executions halt ', ['words', '<running execution>']],
  ['executions wait one ', ['words', '<execution>']],
  ['events tail --type ACTOR_READY,EX', ['words', 'ACTOR_READY,EXECUTION_COMPLETE']],
  ['events tail --actor a,b', ['words', 'a,b<actor>']],
  ['permissions grant ', ['words', '<actor, alias or config>']],
  ['permissions grant sh ', ['words', '<grantee>']],
  ['permissions grant sh dev=E', ['words', 'dev=EXECUTE']],
  ['permissions grant sh dev=READ ', ['words', '<grantee>']],
  ['permissions grant sh dev READ ', ['words']],
  ['permissions revoke sh ', ['words', '<grantee>']],
  ['permissions grant sh dev E', ['words', 'EXECUTE']],
  ['nonces show ', ['words', '<actor or alias>']],
  ['nonces show sh ', ['words', '<nonce>']],
  ['configs show ', ['words', '<config>']],
  ['configs create ', ['words']],
  ['webhooks redeliver ', ['words', '<delivery>']],
  ['context use ', ['words', '<context>']],
  ['-c ', ['words', '<context>']],
  ['-ctwo actors sho', ['words', 'show']],
  ['users create bo --role admin,l', ['words', 'admin,limited']],
  ['send sh -f ', ['files']],
  ['actors build ', ['folders']],
  ['help exit', ['words', 'exit-codes']],
  ['help actors sho', ['words', 'show']],
  ['nosuch ', ['words']],
  ['actors nosuch ', ['words']],
  ['actors list --jso', ['words', '--json']],
  ['actors list --json --jso', ['words']],
  ['actors list -- --jso', ['words']],
];

describe('completion', () => {
  it.each(lines)('of "%s" offers %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('offers every command at the beginning, and no hidden alias', async () => {
    expect(await offered('')).toEqual(['words', ...catalog.map(({ name }) => name), 'help']);
  });

  it('offers something for each argument of each command, except for new names and free text', async () => {
    const leaves = (await Promise.all(catalog.map(async (entry) => loadLeaves(await loadNode(entry))))).flat();
    const nothing = leaves.flatMap(({ path, leaf }) =>
      Object.entries(leaf.args).flatMap(([name, { completes, pair }]) =>
        completes === undefined && pair === undefined ? [`${path} ${name}`] : [],
      ),
    );
    expect(nothing.sort()).toEqual([
      'aliases create alias',
      'clients create name',
      'clock set instant',
      'configs create name',
      'configs set pairs',
      'context create name',
      'context rename to',
      'cron set schedule',
      'events emit type',
      'exec command',
      'executions search text',
      'executions shell command',
      'search query',
      'snapshot create name',
      'tenants create id',
      'users create name',
      'webhooks set url',
      'workers scale number',
    ]);
  });

  it('passes on the arguments before the cursor, and the flags', async () => {
    expect(await placeOf(['--instance', 'two', 'workers', 'show', 'sh'], 'w')).toMatchObject({
      offer: 'worker',
      args: { actor: 'sh' },
      flags: new Map([['--instance', 'two']]),
    });
  });

  it.each([
    ['actorctl permissions list alias:w', 'alias:', ['alias:web'], 'web'],
    ['actorctl executions list --status=CO', '--status=', ['COMPLETE'], 'COMPLETE'],
    ['actorctl logs sh@l', 'sh', ['sh@last'], '@last'],
    ['actorctl logs @l', '', ['@last'], '@last'],
  ])('for bash omits the part of the argument before its last separator: %s', async (line, kept, words, written) => {
    const typed = typedIn(['bash', ':\t\n"\'@><=;|&(:', line]);
    expect(typed?.kept).toBe(kept);
    const text = typed && (await answer(typed, async () => words.map((word) => ({ word, about: '' }))));
    expect(text).toBe(`words\n${written}\n`);
  });

  it('offers each of 40 000 names once', async () => {
    const typed = typedIn(['zsh', ':', 'actors', 'show']);
    const names = Array.from({ length: 40_000 }, (_, index) => ({ word: `name-${index}`, about: '' }));
    const text = typed && (await answer(typed, async () => [...names, ...names]));
    expect(text?.split('\n')).toHaveLength(40_002);
  });

  it.each([
    [['zsh', ':w', 'actors', 'show'], { words: ['actors', 'show'], current: 'w', kept: '' }],
    [
      ['bash', ':', `actorctl send 'a b' "c \\" d" e\\ f `],
      { words: ['send', 'a b', 'c " d', 'e f'], current: '', kept: '' },
    ],
    [['bash', ':', `actorctl send 'open quo`], { words: ['send'], current: 'open quo', kept: '' }],
    [['ksh', ':w'], undefined],
    [['zsh'], undefined],
  ])('reads the arguments of a script: %j', (argv, typed) => {
    expect(typedIn(argv)).toEqual(typed);
  });

  it.each(['wordcount', 'a.b-c_d', '@last:failed', 'alias:web', 'x@y.org'])('offers the name %s', (name) => {
    expect(isSafe(name)).toBe(true);
  });

  it.each(['$(reboot)', 'a b', 'a;b', '`id`', '-rf', "it's", 'a\nb', '~', 'a|b', '', '!!', '*', 'a"b'])(
    'R166 never offers a name that a shell could run or expand: %j',
    (name) => {
      expect(isSafe(name)).toBe(false);
    },
  );
});

describe('the block in a start-up file', () => {
  const marked = (body: string) => `# >>> actorctl completion >>>\n${body}\n# <<< actorctl completion <<<\n`;

  it.each([
    ['', 'one\n', marked('one')],
    ['alias l=ls', 'one\n', `alias l=ls\n${marked('one')}`],
    [`a\n${marked('old\nlines')}b\n`, 'new\n', `a\n${marked('new')}b\n`],
    [`a\n${marked('old')}b\n`, undefined, 'a\nb\n'],
    ['a\n', undefined, 'a\n'],
  ])('of %j is added, replaced or removed', (before, block, after) => {
    const text = withBlock(before, block, '.bashrc');
    expect(text).toBe(after);
    expect(withBlock(text, block, '.bashrc')).toBe(text);
  });

  it('without its end is not touched', () => {
    expect(() => withBlock('# >>> actorctl completion >>>\nalias l=ls\n', 'one', '.bashrc')).toThrow(CliFailure);
  });
});
