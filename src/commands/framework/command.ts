// Types and constructors of commands: name, arguments and options as data, and the function that runs them.

import type { CommandContext } from '../../context.ts';
import type { OperationId } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import type { Arguments, ArgumentsOf, Options, ValuesOf } from './option.ts';

/**
 * Runs a command and returns its exit code: 0, or another documented code after everything was printed.
 * @throws CliFailure for every other outcome; main.ts prints its message
 * @see docs/cli.md#exit-codes
 */
export type Run<A, O> = (context: CommandContext, args: A, options: O) => Promise<number>;

export interface Heading {
  readonly name: string;
  /** Alternative names that help does not show: `ls`, `get`, `rm`. */
  readonly aliases?: readonly string[];
  /** Help text: imperative, at most 59 characters, without semicolon or full stop. */
  readonly summary: string;
}

export interface ActionSpec<A extends Arguments, O extends Options> {
  /** Operations of the contract that this command calls. A test checks that every operation has a command. */
  readonly operations?: readonly OperationId[];
  /** In the order of the command line. */
  readonly args?: A;
  readonly options?: O;
  /** True if the command accepts the list flags: `--filter --sort --limit --offset --all`. */
  readonly list?: boolean;
  /** Further sentences for the help of this command: effects and exit codes that the summary has no room for. */
  readonly details?: string;
  /** Example command lines for help, without the `$`. */
  readonly examples?: readonly string[];
  readonly run: Run<ArgumentsOf<A>, ValuesOf<O>>;
}

/** The action of a command. `bind` hides the types of its arguments and options. */
export interface Action {
  readonly operations: readonly OperationId[];
  readonly args: Arguments;
  readonly options: Options;
  readonly list: boolean;
  /** Further sentences for the help of the command. Empty if the summary is sufficient. */
  readonly details: string;
  readonly examples: readonly string[];
  /**
   * Parses the arguments and options, and returns the function that runs the command with them.
   * @param options values by option key; a missing or empty list means that the option was not given
   */
  readonly bind: (
    args: Readonly<Record<string, readonly string[]>>,
    options: Readonly<Record<string, readonly (string | boolean)[]>>,
  ) => (context: CommandContext) => Promise<number>;
}

export interface Leaf extends Required<Heading>, Action {
  readonly kind: 'leaf';
}

/**
 * A command of a group before its module is loaded. The name and summary of a command with its own module are defined
 * only here.
 */
export interface LeafEntry extends Required<Heading> {
  readonly load: () => Promise<Action>;
}

/** A command that only groups others: `actors` with `list`, `show` and so on. */
export interface Group extends Required<Heading> {
  readonly kind: 'group';
  readonly children: readonly LeafEntry[];
}

export type CommandNode = Leaf | Group;

/** A top-level command before its module is loaded. */
export interface Entry extends Required<Heading> {
  /** Least exit code of a failure of the command, if lower codes belong to another program that it runs. */
  readonly failureExit?: number;
  /** Loads the action of a command, or the children of a group. */
  readonly load: () => Promise<Action | readonly LeafEntry[]>;
}

const mapped = <T, R>(record: Readonly<Record<string, T>>, read: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, read(value, key)]));

/** The actor named in actorctl.json of the working directory. */
const actorOfHere = async (
  { cwd, output }: Pick<CommandContext, 'cwd' | 'output'>,
  argument: string,
): Promise<string> => {
  const { actorOfFolder } = await import('../../local/project/project.ts');
  const actor = await actorOfFolder(cwd);
  if (actor === undefined) {
    throw usage(
      `missing required argument "${argument}"`,
      'add a name, alias or id, or run this in a folder with actorctl.json',
    );
  }
  output.verbose(`actor ${actor}, from actorctl.json in this folder`);
  return actor;
};

/** Defines what a top-level command does. The catalog holds its name and summary. */
export const action = <
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>(
  spec: ActionSpec<A, O>,
): Action => ({
  operations: spec.operations ?? [],
  args: spec.args ?? {},
  options: spec.options ?? {},
  list: spec.list ?? false,
  details: spec.details ?? '',
  examples: spec.examples ?? [],
  bind: (givenArgs, givenOptions) => {
    // The mapped types state the result type of each `read`. A record that is built key by key cannot express it.
    const args = mapped(spec.args ?? {}, (each, key) => each.read(givenArgs[key] ?? [])) as ArgumentsOf<A>;
    const options = mapped(spec.options ?? {}, (each, key) => each.read(givenOptions[key] ?? [])) as ValuesOf<O>;
    const missing = Object.entries(spec.args ?? {}).find(
      ([key, { here }]) => here === true && (givenArgs[key] ?? []).length === 0,
    );
    if (missing === undefined) return (context) => spec.run(context, args, options);
    const [key] = missing;
    return async (context) => spec.run(context, { ...args, [key]: await actorOfHere(context, key) }, options);
  },
});

const named = ({ name, aliases = [], summary }: Heading, does: Action): Leaf => ({
  kind: 'leaf',
  name,
  aliases,
  summary,
  ...does,
});

export const loadLeaf = async (entry: LeafEntry): Promise<Leaf> => named(entry, await entry.load());

export const childOf = ({ children }: Group, word: string | undefined): LeafEntry | undefined =>
  children.find(({ name, aliases }) => name === word || (word !== undefined && aliases.includes(word)));

/** Loads the command of a node. @param verb its name, if the node is a group */
export const leafOf = async (node: CommandNode, verb: string | undefined): Promise<Leaf | undefined> => {
  if (node.kind === 'leaf') return node;
  const entry = childOf(node, verb);
  return entry && loadLeaf(entry);
};

/**
 * Defines a command of a group.
 * @example
 * command({ name: 'show', summary: 'Show an actor', operations: ['actors.show'],
 *   args: { actor: required('id of the actor') },
 *   run: async ({ call, output }, { actor }) => { output.item(await call('actors.show', { params: { actorId: actor }
 * }), view); return 0; } })
 */
export const command = <
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>({
  name,
  aliases = [],
  summary,
  ...spec
}: Heading & ActionSpec<A, O>): LeafEntry => ({ name, aliases, summary, load: () => Promise.resolve(action(spec)) });

export const loadNode = async ({ name, aliases, summary, load }: Entry): Promise<CommandNode> => {
  const loaded = await load();
  return 'bind' in loaded
    ? named({ name, aliases, summary }, loaded)
    : { kind: 'group', name, aliases, summary, children: loaded };
};

/** A command with the words that call it: `actors list`. */
export interface Called {
  readonly path: string;
  readonly leaf: Leaf;
}

export const loadLeaves = async (node: CommandNode): Promise<readonly Called[]> =>
  node.kind === 'leaf'
    ? [{ path: node.name, leaf: node }]
    : Promise.all(
        node.children.map(async (each) => ({ path: `${node.name} ${each.name}`, leaf: await loadLeaf(each) })),
      );
