// Finds the command of a command line and parses its values, with commander.
import { Command, Argument as CommanderArgument, CommanderError, Option as CommanderOption } from 'commander';
import { catalog, entryOf, groupOf, inHelpOrder } from './commands/framework/catalog.ts';
import { type CommandNode, type Heading, type Leaf, leafOf, loadNode } from './commands/framework/command.ts';
import { type GlobalValues, globalOptions, type ListValues, listOptions } from './commands/framework/flags.ts';
import { longOf, type Option, type Options, shortOf, type ValuesOf } from './commands/framework/option.ts';
import { scanLine } from './commands/framework/scan-line.ts';
import { topics } from './commands/framework/topics.ts';
import type { CommandContext } from './context.ts';
import { usage } from './failure.ts';
import { type HelpText, helpLine, wrapped } from './help.ts';
import { VERSION } from './local/version.ts';
import { isPassedOn, splitLine } from './passed-words.ts';

/** A parsed command, ready to run. */
export interface Planned {
  readonly kind: 'run';
  /** The words that call the command: `actors list`. */
  readonly name: string;
  readonly leaf: Leaf;
  readonly globals: GlobalValues;
  /** Only for lists. */
  readonly list?: ListValues;
  readonly run: (context: CommandContext) => Promise<number>;
}

type Given = Readonly<Record<string, readonly (string | boolean)[]>>;

const GLOBAL_GROUP = 'Flags of every command:';
const LIST_GROUP = 'Flags of every list:';

const toCommander = (option: Option<unknown>, flags = option.flags): CommanderOption => {
  const made = new CommanderOption(flags, option.description).hideHelp(option.hidden === true);
  if (made.required || made.optional)
    made.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), value]);
  return made;
};

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const given = (command: Command, options: Options): Given =>
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => {
      const values = listOf(command.getOptionValue(new CommanderOption(option.flags).attributeName()));
      return [key, values.filter((each) => typeof each === 'string' || typeof each === 'boolean')];
    }),
  );

/** Adds shared options, except those that the command redefines with another meaning. */
const addShared = (command: Command, options: Options, heading: string, hidden = false): void => {
  const taken = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  for (const option of Object.values(options)) {
    if (taken.has(longOf(option.flags))) continue;
    const short = shortOf(option.flags);
    const made = toCommander(option, short && taken.has(short) ? option.flags.slice(4) : option.flags);
    command.addOption(made.helpGroup(heading).hideHelp(hidden || option.hidden === true));
  }
};

/** Option values from every level of the command line. The level nearest to the command wins. */
const givenAnywhere = (commands: readonly Command[], options: Options): Given => {
  const all = commands.map((command) => given(command, options));
  return Object.fromEntries(Object.keys(options).map((key) => [key, all.flatMap((each) => each[key] ?? [])]));
};

/** The flags of every command, except those that the command redefines with another meaning. */
const globalsBeside = (own: Options): Options => {
  const taken = new Set(Object.values(own).map(({ flags }) => longOf(flags)));
  return Object.fromEntries(Object.entries(globalOptions).filter(([, { flags }]) => !taken.has(longOf(flags))));
};

const valuesOf = <O extends Options>(options: O, texts: Given): ValuesOf<O> =>
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, option.read(texts[key] ?? [])]),
  ) as ValuesOf<O>;

const ancestry = (command: Command): readonly Command[] =>
  command.parent ? [...ancestry(command.parent), command] : [command];

const describe = (
  command: Command,
  node: { readonly summary: string; readonly details?: string; readonly aliases: readonly string[] },
): Command => {
  // Aliases serve users of other tools. Help shows only one name per command.
  command.configureHelp({ subcommandTerm: (each) => each.name(), sortSubcommands: false });
  return command
    .summary(node.summary)
    .description(node.details ? `${node.summary}\n\n${node.details}` : node.summary)
    .aliases([...node.aliases])
    .enablePositionalOptions();
};

/** The arguments of a command as its usage line shows them: `<alias>`, `[actor]`, `<names...>`. */
const argumentLabels = ({ args }: Leaf): readonly string[] =>
  Object.entries(args).map(([name, { required, variadic }]) => {
    const label = variadic ? `${name}...` : name;
    return required ? `<${label}>` : `[${label}]`;
  });

const addLeaf = (parent: Command, leaf: Leaf, passed: readonly string[], plan: (planned: Planned) => void): Command => {
  const command = describe(parent.command(leaf.name), leaf).allowExcessArguments(false);
  const labels = argumentLabels(leaf);
  for (const [index, argument] of Object.values(leaf.args).entries()) {
    const label = labels[index] ?? '';
    const dashes = argument.required ? `-- ${label}` : `[-- ${label.slice(1, -1)}]`;
    if (isPassedOn(argument)) command.usage(['[options]', ...labels.slice(0, index), dashes].join(' '));
    else command.addArgument(new CommanderArgument(label, argument.description));
  }
  for (const option of Object.values(leaf.options)) command.addOption(toCommander(option));
  if (leaf.list) addShared(command, listOptions, LIST_GROUP);
  addShared(command, globalOptions, GLOBAL_GROUP);
  if (leaf.examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${leaf.examples.map((line) => `  ${line}`).join('\n')}`);
  command.action(() => {
    const texts = Object.fromEntries(
      Object.entries(leaf.args).map(([name, argument], index) => [
        name,
        isPassedOn(argument) ? passed : listOf(command.processedArgs[index]).filter((each) => typeof each === 'string'),
      ]),
    );
    const called = ancestry(command);
    plan({
      kind: 'run',
      name: called
        .slice(1)
        .map((each) => each.name())
        .join(' '),
      leaf,
      globals: valuesOf(globalOptions, givenAnywhere(called, globalsBeside(leaf.options))),
      ...(leaf.list && { list: valuesOf(listOptions, given(command, listOptions)) }),
      run: leaf.bind(texts, givenAnywhere(called, leaf.options)),
    });
  });
  return command;
};

/** Adds the help topic with the name of the command, if there is one, to the end of its help. */
const addTopic = (command: Command, name: string): void => {
  const topic = topics.find((each) => each.name === name);
  if (topic) command.addHelpText('after', `\n${topic.text}`);
};

/** The heading of a command in the help of its parent. */
const headingOf = (parent: Command, name: string): string =>
  parent.parent === null ? `${groupOf(name)}:` : 'Commands:';

/** Adds a command without its options, for lists and suggestions. */
const addStub = (parent: Command, heading: Required<Heading>): void => {
  describe(parent.command(heading.name), heading).helpGroup(headingOf(parent, heading.name));
};

/** @param leaf the command that the line names; undefined if it names only the group */
const addNode = (
  program: Command,
  node: CommandNode,
  leaf: Leaf | undefined,
  passed: readonly string[],
  plan: (planned: Planned) => void,
): void => {
  if (node.kind === 'leaf') {
    addTopic(addLeaf(program, node, passed, plan).helpGroup(headingOf(program, node.name)), node.name);
    return;
  }
  const command = describe(program.command(node.name), node).helpGroup(headingOf(program, node.name));
  addTopic(command, node.name);
  addShared(command, globalOptions, GLOBAL_GROUP, true);
  for (const child of node.children) {
    if (leaf?.name === child.name) addLeaf(command, leaf, passed, plan);
    else addStub(command, child);
  }
};

const shownGlobals = Object.values(globalOptions)
  .filter(({ hidden }) => !hidden)
  .map(({ flags }) => longOf(flags));

/**
 * Parses a command line.
 * @throws CliFailure USAGE
 */
export const plan = async (argv: readonly string[]): Promise<Planned | HelpText> => {
  const line = scanLine(argv).plain[0] === 'help' ? await helpLine(argv) : argv;
  if ('kind' in line) return line;
  const [noun, verb] = scanLine(line).plain;
  if (noun === undefined && (line.includes('--version') || line.includes('-V'))) {
    const value = { actorctl: VERSION, node: process.versions.node };
    return { kind: 'tell', text: `${VERSION}\n`, value, to: 'stdout', exit: 0 };
  }
  if (noun === 'config') {
    throw usage(
      'no command named "config"',
      'configs of the service: actorctl configs --help; settings of this program: actorctl settings --help',
    );
  }
  const wanted = entryOf(noun);
  const node = wanted && (await loadNode(wanted));
  const leaf = node && (await leafOf(node, verb));
  const [own, passed] = splitLine(line, leaf);
  let planned: Planned | undefined;
  let told = '';
  const program = new Command('actorctl');
  describe(program, { summary: 'Run an actor platform on this machine.', aliases: [] })
    .usage('<command> [flags]')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => (told += text),
      writeErr: (text) => (told += text),
      outputError: () => undefined,
    })
    .option('-V, --version', 'print the version')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Flags of every command (actorctl help COMMAND describes them):
${wrapped(shownGlobals)}

Topics: ${topics.map(({ name }) => name).join(', ')}
To read one: actorctl help TOPIC`,
    );
  addShared(program, globalOptions, GLOBAL_GROUP, true);
  // The other commands are added only if they are listed or suggested.
  for (const entry of node && line[0] === noun ? [wanted] : inHelpOrder(catalog)) {
    if (entry === wanted && node) {
      addNode(program, node, leaf, passed, (value) => {
        planned = value;
      });
    } else addStub(program, entry);
  }
  try {
    if (line.length === 0) program.help();
    await program.parseAsync([...own], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'tell', text: told, to: 'stdout', exit: 0 };
    if (error.code === 'commander.help') {
      return line.length === 0
        ? { kind: 'tell', text: told, to: 'stdout', exit: 0 }
        : { kind: 'tell', text: told, to: 'stderr', exit: 2 };
    }
    const path = [node?.name, leaf === node ? undefined : leaf?.name].filter((word) => word !== undefined);
    const rest = leaf && error.code === 'commander.missingArgument' ? argumentLabels(leaf) : ['--help'];
    const use = ['actorctl', ...path, ...rest].join(' ');
    const { lineFailure } = await import('./line-failure.ts');
    throw await lineFailure(error, { typed: noun, node, use });
  }
  if (!planned) return { kind: 'tell', text: program.helpInformation(), to: 'stderr', exit: 2 };
  return planned;
};
