// Parsing of command lines: which command runs, with which flags, and which arguments are refused.
import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/commands/framework/catalog.ts';
import { type Called, loadLeaves, loadNode } from '../../../src/commands/framework/command.ts';
import { globalOptions, listOptions } from '../../../src/commands/framework/flags.ts';
import type { CommandContext } from '../../../src/context.ts';
import { CliFailure } from '../../../src/failure.ts';
import { type Planned, plan } from '../../../src/program.ts';

const planned = async (...argv: string[]): Promise<Planned> => {
  const result = await plan(argv);
  if (result.kind === 'tell') throw new Error(`printed text, planned no command: ${result.text}`);
  return result;
};

const refused = async (...argv: string[]): Promise<CliFailure> => {
  try {
    await plan(argv);
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const leaves = async (): Promise<readonly Called[]> =>
  (await Promise.all(catalog.map(async (entry) => loadLeaves(await loadNode(entry))))).flat();

describe('a command line', () => {
  it.each([
    [['--instance', 'two', 'actors', 'list']],
    [['actors', '--instance', 'two', 'list']],
    [['actors', 'list', '--instance', 'two']],
    [['actors', 'list', '--instance=two']],
    [['--instance', 'one', 'actors', 'list', '--instance', 'two']],
  ])('accepts global flags in any position: %j', async (argv) => {
    expect((await planned(...argv)).globals.instance).toBe('two');
  });

  it('accepts the aliases of nouns and verbs', async () => {
    expect((await planned('actor', 'ls')).leaf.operations).toContain('actors.list');
  });

  it('accepts the flags of lists', async () => {
    const { list } = await planned('actors', 'list', '--filter', 'a=1', '--filter', 'b=2', '--limit', '3', '--all');
    expect(list).toMatchObject({ filter: ['a=1', 'b=2'], limit: 3, offset: undefined, all: true });
  });

  it('uses the meaning that a command gives to a shared flag', async () => {
    expect((await planned('actors', 'init', '--template', 'go')).globals.template).toBeUndefined();
  });

  it.each([
    [['--template', 'nosuch', 'actors', 'init'], '--template must be one of'],
    [['actors', '--template', 'nosuch', 'init'], '--template must be one of'],
    [['actors', 'init', '--template', 'nosuch'], '--template must be one of'],
  ])('uses that meaning in any position: %j', async (argv, message) => {
    expect(await refused(...argv)).toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) });
  });

  it('gives the instance before the noun to a command with its own meaning of it', async () => {
    const { run, globals } = await planned('--instance', 'no name', 'context', 'create', 'there');
    expect(globals.instance).toBeUndefined();
    await expect(run({} as CommandContext)).rejects.toThrow('"no name" is not a valid instance name');
  });

  it('prefers the flag nearest to the command', async () => {
    expect((await planned('--template', 'nosuch', 'actors', 'init', '--template', 'go')).name).toBe('actors init');
  });

  it.each([
    [['actors', 'list', '--jsn'], 'unknown option "--jsn"', 'did you mean --json?'],
    [['actors', 'shwo'], 'unknown command "shwo"', 'did you mean show?'],
    [['actors', 'lst'], 'unknown command "lst"', 'did you mean list?'],
    [['actors', 'ge'], 'unknown command "ge"', 'did you mean show?'],
    [['actr'], 'unknown command "actr"', 'did you mean actors?'],
    [['run', 'wc', 'hello'], 'too many arguments', 'give the message with -m: actorctl run ACTOR -m "hello"'],
    [['restart'], 'unknown command "restart"', 'did you mean actorctl daemon restart?'],
    [['deploy', '.'], 'unknown command "deploy"', 'did you mean actorctl actors deploy?'],
    [['create'], 'unknown command "create"', 'did you mean actorctl actors create?'],
    [['help', 'restart'], 'no command or topic named "restart"', 'did you mean "actorctl help daemon restart"?'],
    [['--nosuch', 'restart'], 'unknown option "--nosuch"', 'actorctl --help'],
    [['frobnicate'], 'unknown command "frobnicate"', 'actorctl --help'],
    [['aliases', 'get'], 'missing required argument "alias"', 'actorctl aliases show <alias>'],
    [
      ['permissions', 'can', 'ana'],
      'missing required argument "level"',
      'actorctl permissions can <user> <level> <target>',
    ],
    [['actors', 'list', 'extra'], 'too many arguments', 'actorctl actors list --help'],
    [['status', '--output'], 'option "-o, --output <format>" argument missing', 'actorctl status --help'],
    [['status', '--color', 'pink'], '--color must be one of auto, always, never, not "pink"', undefined],
    [['up', '--port', '70000'], '--port must be a port', undefined],
    [['config', 'list'], 'no command named "config"', undefined],
    [['help', 'nosuch'], 'no command or topic named "nosuch"', 'actorctl help'],
    [['help', 'staus'], 'no command or topic named "staus"', 'did you mean "actorctl help status"?'],
    [['help', 'exit-code'], 'no command or topic named "exit-code"', 'did you mean "actorctl help exit-codes"?'],
    [['help', 'actors', 'lsit'], 'no command named "actors lsit"', 'did you mean "actorctl help actors list"?'],
    [['help', 'status', 'now'], 'no command named "status now"', 'actorctl help status'],
    [['help', 'actors', 'list', 'now'], 'no command named "actors list now"', 'actorctl help actors list'],
    [['help', 'config'], 'no command named "config"', undefined],
  ] satisfies [string[], string, string | undefined][])(
    'with invalid arguments is refused: %j',
    async (argv, message, hint) => {
      const failure = await refused(...argv);
      expect(failure.code).toBe('USAGE');
      expect(failure.message).toContain(message);
      if (hint !== undefined) expect(failure.extras.hint).toBe(hint);
    },
  );

  it.each([
    [[], 'stdout', 0, 'Usage: actorctl <command>'],
    [['--help'], 'stdout', 0, 'Usage: actorctl <command>'],
    [['actors'], 'stderr', 2, 'Usage: actorctl actors'],
    [['actors', 'list', '--help'], 'stdout', 0, 'Flags of every list:'],
    [['help', 'actors', 'list'], 'stdout', 0, 'Usage: actorctl actors list'],
    [['help', 'exit-codes'], 'stdout', 0, '130  interrupted'],
    [['help', 'environment'], 'stdout', 0, 'ACTORCTL_HOME'],
    [['help', 'files'], 'stdout', 0, 'credentials.json'],
    [['help', 'output'], 'stdout', 0, '--template'],
    [['help', 'actors'], 'stdout', 0, 'Usage: actorctl actors'],
    [['help', 'events'], 'stdout', 0, 'Usage: actorctl events'],
    [['help', 'login'], 'stdout', 0, 'Usage: actorctl login'],
    [['login', '--help'], 'stdout', 0, 'The credential of a request is the first of'],
    [['help', 'actors'], 'stdout', 0, 'An actor is a container image'],
    [['events', '--help'], 'stdout', 0, 'EXECUTION_COMPLETE   an execution has ended'],
    [['help'], 'stdout', 0, 'Usage: actorctl <command>'],
    [['help', '--no-input', 'actor', 'ls'], 'stdout', 0, 'Usage: actorctl actors list'],
  ])('that asks for help prints help: %j', async (argv, to, exit, text) => {
    const result = await plan(argv);
    expect(result).toMatchObject({ kind: 'tell', to, exit });
    expect(result.kind === 'tell' && result.text).toContain(text);
  });
});

describe('help as JSON', () => {
  const printed = async (...argv: string[]): Promise<unknown> => {
    const result = await plan(argv);
    if (result.kind !== 'tell') throw new Error('a command was planned');
    return JSON.parse(result.text);
  };

  it('lists every command, every topic and the flags of every command', async () => {
    const help = await printed('help', '--json');
    expect(help).toMatchObject({
      name: 'actorctl',
      topics: expect.arrayContaining([{ name: 'exit-codes', summary: expect.any(String) }]),
    });
    const { commands, global_flags } = help as {
      commands: { name: string; commands?: { name: string }[] }[];
      global_flags: { flags: string }[];
    };
    const paths = commands.flatMap((each) => each.commands?.map(({ name }) => name) ?? [each.name]);
    expect(paths).toEqual((await leaves()).map(({ path }) => path));
    expect(global_flags.map(({ flags }) => flags)).toEqual(Object.values(globalOptions).map(({ flags }) => flags));
  });

  it.each([
    [['help', 'actors', 'list', '--json']],
    [['help', '-o', 'json', 'actor', 'ls']],
    [['--output=json', 'help', 'actors', 'list']],
  ])('describes one command: %j', async (argv) => {
    expect(await printed(...argv)).toMatchObject({
      name: 'actors list',
      flags: expect.arrayContaining([
        { flags: '--filter <key=value>', description: expect.any(String), repeatable: true },
      ]),
    });
  });

  it('describes a group and a topic', async () => {
    expect(await printed('help', 'cron', '--json')).toMatchObject({
      name: 'cron',
      commands: expect.arrayContaining([expect.objectContaining({ name: 'cron set' })]),
    });
    expect(await printed('help', 'exit-codes', '--json')).toMatchObject({
      name: 'exit-codes',
      text: expect.stringContaining('130'),
    });
  });
});

describe('the commands', () => {
  it('have their name and summary in the catalog only, not in their modules', async () => {
    for (const entry of catalog) {
      const stated = Object.keys(await entry.load()).filter((key) => ['name', 'aliases', 'summary'].includes(key));
      expect(stated, entry.name).toEqual([]);
    }
  });

  it('R144 accept no secret as the value of a flag', async () => {
    const secret = /secret|password|token|credential/;
    for (const { path, leaf } of await leaves()) {
      for (const { flags } of Object.values({ ...globalOptions, ...listOptions, ...leaf.options })) {
        const long = /--[a-z0-9-]+/.exec(flags)?.[0] ?? '';
        if (!secret.test(long) || /-(stdin|file)$/.test(long)) continue;
        expect(`${path} ${flags}`).not.toMatch(/[<[]/);
      }
      for (const name of Object.keys(leaf.args)) expect(`${path} ${name}`).not.toMatch(secret);
    }
  });

  it('that list resources accept the common list flags', async () => {
    const lists = (await leaves()).filter(
      ({ path, leaf }) => path.endsWith(' list') || leaf.summary.startsWith('List '),
    );
    expect(lists.filter(({ leaf }) => !leaf.list).map(({ path }) => path)).toEqual([]);
  });

  it('use each short flag once, and never -p', async () => {
    for (const { path, leaf } of await leaves()) {
      const shorts = Object.values(leaf.options).flatMap(({ flags }) => /^-([A-Za-z])(?=,)/.exec(flags)?.[1] ?? []);
      expect(new Set(shorts).size, path).toBe(shorts.length);
      expect(shorts, path).not.toContain('p');
    }
  });

  it('have summaries under 60 characters that begin with an imperative', async () => {
    const summaries = [
      ...catalog.map(({ name, summary }) => `${name}: ${summary}`),
      ...(await leaves()).map(({ path, leaf }) => `${path}: ${leaf.summary}`),
    ];
    // Third person ("Creates") and a noun in the plural ("Names") end in s.
    const wrong = summaries.filter((line) => !/^[a-z -]+: [A-Z][a-z]*[a-rt-z] [^;]*[^;.]$|: Pass /.test(line));
    expect(wrong).toEqual([]);
    expect(summaries.filter((line) => line.replace(/^.*?: /, '').length >= 60)).toEqual([]);
  });

  it('describe their flags and arguments in fragments: lower case, without full stop', async () => {
    const shared = [...Object.values(globalOptions), ...Object.values(listOptions)];
    const described = (await leaves()).flatMap(({ path, leaf }) =>
      [...Object.values(leaf.options), ...Object.values(leaf.args)].map(({ description }) => `${path}: ${description}`),
    );
    const wrong = [...described, ...shared.map(({ description }) => `: ${description}`)].filter(
      (line) => /: [A-Z][a-z]+ /.test(line) || line.endsWith('.'),
    );
    expect(wrong).toEqual([]);
  });
});
