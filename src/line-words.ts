// Finds the words of a command line that name a command, without parsing the line.
import { type CommandNode, childOf, type Leaf, loadLeaf } from './commands/framework/command.ts';
import { globalOptions } from './commands/framework/flags.ts';

/** The short name in the flags of an option: `-f`. */
export const shortOf = (flags: string): string | undefined => /^-[A-Za-z](?=,)/.exec(flags)?.[0];
/** The long name in the flags of an option: `--file`. */
export const longOf = (flags: string): string => /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;

/** The name of the command: the first word that is neither a flag nor the value of a flag. */
export const firstWord = (argv: readonly string[]): string | undefined => {
  const takesValue = new Set(
    Object.values(globalOptions)
      .filter(({ flags }) => flags.includes('<'))
      .flatMap(({ flags }) => [longOf(flags), shortOf(flags)]),
  );
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-')) return word;
    if (takesValue.has(word)) index += 1;
  }
  return undefined;
};

/** Loads the command that a command line names below a node. */
export const leafOf = async (node: CommandNode, line: readonly string[]): Promise<Leaf | undefined> => {
  if (node.kind === 'leaf') return node;
  const words = line.slice(line.findIndex((word) => word === node.name || node.aliases.includes(word)) + 1);
  const entry = childOf(node, firstWord(words));
  return entry && loadLeaf(entry);
};
