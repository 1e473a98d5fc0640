// What a command is: its name, arguments and options as data, and the function that runs it.

import type { CommandContext } from '../../context.ts';
import type { OperationId } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import type { Arguments, ArgumentsOf, Options, ValuesOf } from './option.ts';

/**
 * Does what the command promises and answers its exit code: 0, or another one of cli.md 4.1 after everything was printed.
 * @throws CliFailure for whatever else; main.ts words it
 */
export type Run<A, O> = (context: CommandContext, args: A, options: O) => Promise<number>;

/** A command as it is stated. */
export interface CommandSpec<A extends Arguments, O extends Options> {
  readonly name: string;
  /** Hidden other names: `ls`, `get`, `rm`. */
  readonly aliases?: readonly string[];
  /** One sentence for `--help`, present tense. */
  readonly summary: string;
  /** Operations of the contract that this command is the way to; the parity test reads it. */
  readonly operations?: readonly OperationId[];
  /** In the order in which they stand. */
  readonly args?: A;
  readonly options?: O;
  /** Takes the flags of lists: `--filter --sort --limit --offset --all`. */
  readonly list?: boolean;
  /** Lines of example, without the `$`. */
  readonly examples?: readonly string[];
  readonly run: Run<ArgumentsOf<A>, ValuesOf<O>>;
}

/** A command whose types are closed in: raw texts in, exit code out. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly operations: readonly OperationId[];
  readonly args: Arguments;
  readonly options: Options;
  readonly list: boolean;
  readonly examples: readonly string[];
  /**
   * Checks the given texts and answers what is left to do.
   * @param args texts by name of the argument
   * @param options what was given by key of the option; empty lists where nothing was
   * @throws CliFailure USAGE
   */
  readonly bind: (
    args: Readonly<Record<string, readonly string[]>>,
    options: Readonly<Record<string, readonly (string | boolean)[]>>,
  ) => (context: CommandContext) => Promise<number>;
}

/** A noun with its verbs. */
export interface Group {
  readonly kind: 'group';
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly children: readonly Leaf[];
}

export type CommandNode = Leaf | Group;

/** What is known of a command before it is loaded; must say the same as the command itself. */
export interface Entry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<CommandNode>;
}

const mapped = <T, R>(record: Readonly<Record<string, T>>, read: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, read(value, key)]));

/** The actor of the folder that the command is run in. @throws CliFailure USAGE when it is the folder of none */
const actorOfHere = async (
  { cwd, output }: Pick<CommandContext, 'cwd' | 'output'>,
  argument: string,
): Promise<string> => {
  const { actorOfFolder } = await import('../../local/project/project.ts');
  const actor = await actorOfFolder(cwd);
  if (actor === undefined) {
    throw usage(
      `missing required argument '${argument}'`,
      'name one; only a folder with actorctl.json has one of its own',
    );
  }
  output.verbose(`actor ${actor}, by the files of this folder`);
  return actor;
};

/**
 * States a command.
 * @example
 * command({ name: 'show', summary: 'Shows one actor.', operations: ['actors.show'],
 *   args: { actor: required('id of the actor') },
 *   run: async ({ call, output }, { actor }) => { output.item(await call('actors.show', { params: { actorId: actor } }), view); return 0; } })
 */
export const command = <
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>(
  spec: CommandSpec<A, O>,
): Leaf => ({
  kind: 'leaf',
  name: spec.name,
  aliases: spec.aliases ?? [],
  summary: spec.summary,
  operations: spec.operations ?? [],
  args: spec.args ?? {},
  options: spec.options ?? {},
  list: spec.list ?? false,
  examples: spec.examples ?? [],
  bind: (givenArgs, givenOptions) => {
    // The mapped types say what each `read` answers; a record built by keys cannot carry that by itself.
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

/** States a noun with its verbs. */
export const group = (
  name: string,
  { aliases = [], summary }: { readonly aliases?: readonly string[]; readonly summary: string },
  children: readonly Leaf[],
): Group => ({ kind: 'group', name, aliases, summary, children });
