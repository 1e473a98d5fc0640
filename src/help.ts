// `actorctl help …`: finds the command or topic, and describes commands as JSON.
import { catalog, entryOf } from './commands/framework/catalog.ts';
import { type CommandNode, childOf, type Leaf, loadLeaf, loadLeaves, loadNode } from './commands/framework/command.ts';
import { globalOptions, listOptions } from './commands/framework/flags.ts';
import type { Completes, Options } from './commands/framework/option.ts';
import { scanLine } from './commands/framework/scan-line.ts';
import { topics } from './commands/framework/topics.ts';
import { usage } from './failure.ts';
import { nearest } from './local/nearest.ts';

/** Help text that was requested instead of a command. */
export interface HelpText {
  readonly kind: 'tell';
  readonly text: string;
  /** The same help as JSON, for `--json`. Absent if the text is printed in every format. */
  readonly value?: unknown;
  readonly to: 'stdout' | 'stderr';
  readonly exit: number;
}

const choicesOf = (completes: Completes | undefined) => (Array.isArray(completes) ? { choices: completes } : {});

const flagsOf = (options: Options) =>
  Object.values(options)
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, completes, many }) => ({
      flags,
      description,
      ...choicesOf(completes),
      ...(many === true && { repeatable: true }),
    }));

const leafJson = (leaf: Leaf, name = leaf.name) => ({
  name,
  summary: leaf.summary,
  ...(leaf.details !== '' && { details: leaf.details }),
  arguments: Object.entries(leaf.args).map(([key, { description, required, variadic, completes }]) => ({
    name: key,
    description,
    required,
    variadic,
    ...choicesOf(completes),
  })),
  flags: [...flagsOf(leaf.options), ...(leaf.list ? flagsOf(listOptions) : [])],
  examples: leaf.examples,
});

const nodeJson = async (node: CommandNode) => {
  if (node.kind === 'leaf') return leafJson(node);
  const { name, summary } = node;
  return { name, summary, commands: (await loadLeaves(node)).map(({ path, leaf }) => leafJson(leaf, path)) };
};

const everythingJson = async () => ({
  name: 'actorctl',
  commands: await Promise.all(catalog.map(async (entry) => nodeJson(await loadNode(entry)))),
  topics: topics.map(({ name, summary }) => ({ name, summary })),
  global_flags: flagsOf(globalOptions),
});

const tell = (value: unknown): HelpText => ({
  kind: 'tell',
  text: `${JSON.stringify(value, null, 2)}\n`,
  to: 'stdout',
  exit: 0,
});

const notFound = async (wrong: string, parent: string, names: readonly string[]) => {
  const words = parent === '' ? 'no command or topic' : 'no command';
  const [named] = parent === '' ? await (await import('./line-failure.ts')).commandsNamed(wrong) : [];
  const meant = named ?? nearest(wrong, names);
  return usage(
    `${words} named "${`${parent} ${wrong}`.trim()}"`,
    meant === undefined
      ? `actorctl help ${parent}`.trim()
      : `did you mean "actorctl help ${`${parent} ${meant}`.trim()}"?`,
  );
};

/** The command named by the words after `help`. @throws CliFailure USAGE if there is no such command */
const find = async ([first = '', second, ...rest]: readonly string[]): Promise<{
  line: string[];
  json: () => Promise<unknown>;
}> => {
  const entry = entryOf(first);
  if (entry === undefined)
    throw await notFound(
      first,
      '',
      [...catalog, ...topics].map(({ name }) => name),
    );
  const node = await loadNode(entry);
  if (second === undefined) return { line: [node.name], json: () => nodeJson(node) };
  const leaf = node.kind === 'group' ? childOf(node, second) : undefined;
  if (leaf === undefined)
    throw await notFound(second, node.name, node.kind === 'group' ? node.children.map(({ name }) => name) : []);
  const path = `${node.name} ${leaf.name}`;
  if (rest[0] !== undefined) throw await notFound(rest[0], path, []);
  return { line: [node.name, leaf.name], json: async () => leafJson(await loadLeaf(leaf), path) };
};

/**
 * Turns `help …` into the equivalent command line, or into a text if the words name a topic or `--json` is given.
 * @param argv a line whose command is `help`
 * @throws CliFailure USAGE for a word that names neither a command nor a topic, with a suggestion
 */
export const helpLine = async (argv: readonly string[]): Promise<readonly string[] | HelpText> => {
  const { plain: words, seen, values } = scanLine(argv);
  const json = seen.has('--json') || values.get('--output') === 'json';
  const [first, second] = words.slice(words.indexOf('help') + 1).filter((word) => word !== 'help');
  const topic = topics.find(({ name }) => name === first);
  // A topic with the name of a command is part of the help of that command.
  if (topic && entryOf(first) === undefined && second === undefined)
    return json ? tell(topic) : { kind: 'tell', text: topic.text, to: 'stdout', exit: 0 };
  if (first === undefined) return json ? tell(await everythingJson()) : ['--help'];
  // Commander prints the help for this word.
  if (first === 'config') return [first];
  const { line, json: described } = await find(words.slice(words.indexOf(first)));
  return json ? tell(await described()) : [...line, '--help'];
};

/** Words in indented lines that fit a terminal. */
export const wrapped = (words: readonly string[]): string =>
  words
    .join(' ')
    .replace(/(.{1,76})(?: |$)/g, '  $1\n')
    .trimEnd();
