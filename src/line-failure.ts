// The failure for a command line that commander refuses, with the command that was probably meant.
import type { CommanderError } from 'commander';
import { catalog } from './commands/framework/catalog.ts';
import { type CommandNode, loadNode } from './commands/framework/command.ts';
import { CliFailure } from './failure.ts';

/** Largest number of commands that a hint names. */
const FEW = 3;

/** The words of other tools for commands that are named differently here. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['ps', 'activity'],
  ['invoke', 'run'],
  ['call', 'run'],
  ['trigger', 'run'],
  ['deploy', 'actors deploy'],
  ['publish', 'actors deploy'],
  ['register', 'actors create'],
  ['inspect', 'actors show'],
  ['tail', 'logs'],
  ['kill', 'executions halt'],
  ['rm', 'actors delete'],
  ['start', 'up'],
  ['stop', 'down'],
  ['secrets', 'configs'],
  ['schedule', 'cron'],
  ['dashboard', 'open'],
]);

/**
 * The command that another tool calls by this word, or the commands of all groups that have this name: `daemon restart`
 * for `restart`. A name that many groups have is represented by one example. Loads all groups.
 */
export const commandsNamed = async (word: string): Promise<readonly string[]> => {
  const meant = otherWords.get(word);
  if (meant !== undefined) return [meant];
  const nodes = await Promise.all(catalog.map(loadNode));
  const found = nodes.flatMap((node) =>
    node.kind === 'group' && node.children.some(({ name }) => name === word) ? [`${node.name} ${word}`] : [],
  );
  return found.length <= FEW ? found : [found.find((name) => name.startsWith('actors ')) ?? found[0] ?? ''];
};

/** Splits a message of commander from its suggestion. A suggested alias is replaced by the name that help shows. */
const words = (
  error: CommanderError,
  commands: readonly { readonly name: string; readonly aliases: readonly string[] }[],
): { readonly message: string; readonly meant?: string } => {
  const [plain = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  // Commander quotes names with apostrophes; all other messages use double quotes.
  const message = plain.replace(/'([^']*)'/g, '"$1"');
  const meant = /Did you mean (?:one of )?(.+)\?/.exec(suggestion ?? '')?.[1]?.split(', ') ?? [];
  const shown = meant.map((word) => commands.find(({ aliases }) => aliases.includes(word))?.name ?? word);
  return { message, ...(shown.length > 0 && { meant: [...new Set(shown)].join(' or ') }) };
};

/** The hint for a message that was typed as an argument of `run` or `send`; undefined for another error. */
const messageHint = (error: CommanderError, command: string | undefined): string | undefined =>
  error.code === 'commander.excessArguments' && (command === 'run' || command === 'send')
    ? `give the message with -m: actorctl ${command} ACTOR -m "hello"`
    : undefined;

/**
 * Turns an error of commander into a failure.
 * @param typed the first word of the line
 * @param use how the command is called
 */
export const lineFailure = async (
  error: CommanderError,
  {
    typed = '',
    node,
    use,
  }: { readonly typed: string | undefined; readonly node: CommandNode | undefined; readonly use: string },
): Promise<CliFailure> => {
  const { message, meant } = words(error, node?.kind === 'group' ? node.children : catalog);
  const isUnknown = node === undefined && error.code === 'commander.unknownCommand';
  const named = isUnknown ? await commandsNamed(typed) : [];
  const like = named.length > 0 ? named.map((name) => `actorctl ${name}`).join(' or ') : meant;
  const hint = messageHint(error, node?.name) ?? (like ? `did you mean ${like}?` : use);
  return new CliFailure('USAGE', message, { hint, cause: error });
};
