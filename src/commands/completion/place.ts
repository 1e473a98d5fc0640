// Determines which kinds of words are allowed at the cursor of an unfinished command line. Sends no request.
import { catalog, entryOf } from '../framework/catalog.ts';
import { type CommandNode, type Leaf, leafOf, loadNode } from '../framework/command.ts';
import { globalOptions, listOptions } from '../framework/flags.ts';
import { type Completes, longOf, type Named, type Option } from '../framework/option.ts';
import { scanLine } from '../framework/scan-line.ts';
import { topics } from '../framework/topics.ts';

export interface Candidate {
  readonly word: string;
  /** Description of the word; empty if it has none. */
  readonly about: string;
}

export interface Place {
  /** The allowed words, or the kind of objects whose names are offered. */
  readonly offer: readonly Candidate[] | Named | 'files' | 'folders';
  /** Prefix of the typed word that stays unchanged: `--status=`, `a,b,`. */
  readonly head: string;
  /** The rest of the typed word. Candidates begin with it. */
  readonly partial: string;
  readonly args: Readonly<Record<string, string>>;
  readonly flags: ReadonlyMap<string, string>;
}

type AnyOption = Option<unknown>;

/** All options of a command. Its own options hide shared options of the same name. */
const optionsOf = (leaf: Leaf | undefined): readonly AnyOption[] => {
  const own: readonly AnyOption[] = Object.values(leaf?.options ?? {});
  const taken = new Set(own.map(({ flags }) => longOf(flags)));
  const others = [...(leaf?.list === true ? Object.values(listOptions) : []), ...Object.values(globalOptions)];
  return [...own, ...others.filter(({ flags }) => !taken.has(longOf(flags)))];
};

const candidate = ({ name, summary }: { readonly name: string; readonly summary: string }): Candidate => ({
  word: name,
  about: summary,
});

/**
 * The words that may follow a word of the command: subcommand names, or the arguments of a command without
 * subcommands.
 */
type Next = { readonly names: readonly Candidate[] } | { readonly leaf: Leaf; readonly depth: number };

const inside = async (node: CommandNode, verb: string | undefined): Promise<Next> => {
  if (node.kind === 'leaf') return { leaf: node, depth: 1 };
  if (verb === undefined) return { names: node.children.map(candidate) };
  const leaf = await leafOf(node, verb);
  return leaf ? { leaf, depth: 2 } : { names: [] };
};

const nextOf = async ([noun, verb, more]: readonly string[]): Promise<Next> => {
  if (noun === undefined) return { names: [...catalog.map(candidate), { word: 'help', about: 'Show help' }] };
  if (noun !== 'help') {
    const entry = entryOf(noun);
    return entry ? inside(await loadNode(entry), verb) : { names: [] };
  }
  if (verb === undefined) return { names: [...catalog, ...topics].map(candidate) };
  const entry = entryOf(verb);
  const next = entry && more === undefined ? await inside(await loadNode(entry), undefined) : { names: [] };
  return 'names' in next ? next : { names: [] };
};

const flagsOf = (options: readonly AnyOption[], seen: ReadonlySet<string>): readonly Candidate[] => [
  ...options
    .filter(({ flags, many, hidden }) => !hidden && (many === true || !seen.has(longOf(flags))))
    .map(({ flags, description }) => ({ word: longOf(flags), about: description })),
  { word: '--help', about: 'show help' },
];

const offerOf = (completes: Completes = []): Place['offer'] => {
  if (typeof completes === 'string') return completes;
  return ('like' in completes ? completes.like : completes).map((word) => ({ word, about: '' }));
};

const valueAt = ({ completes, commas }: AnyOption, head: string, text: string) => {
  const cut = commas ? text.lastIndexOf(',') + 1 : 0;
  return { offer: offerOf(completes), head: head + text.slice(0, cut), partial: text.slice(cut) };
};

/**
 * The candidates for the argument after these. An argument that repeats is always the last argument. Undefined if there
 * is no argument or nothing to offer for it.
 */
const argumentAfter = ({ args }: Leaf, before: readonly string[], current: string) => {
  const all = Object.values(args);
  const last = all.length - 1;
  const at = before.length > last && all[last]?.variadic === true ? last : before.length;
  const { completes, pair } = all[at] ?? {};
  if (pair === undefined) return completes && { offer: offerOf(completes), head: '', partial: current };
  const [name, value] = pair;
  const cut = current.indexOf('=') + 1;
  if (cut > 0) return { offer: offerOf(value), head: current.slice(0, cut), partial: current.slice(cut) };
  const same = before.slice(at);
  const next = same.every((word) => word.includes('=')) ? name : same.length === 1 ? value : [];
  return { offer: offerOf(next), head: '', partial: current };
};

/** Determines the candidates at the cursor. @param current the word at the cursor, possibly empty */
export const placeOf = async (words: readonly string[], current: string): Promise<Place> => {
  const next = await nextOf(scanLine(words).plain);
  const leaf = 'leaf' in next ? next.leaf : undefined;
  const options = optionsOf(leaf);
  const { plain, values, seen, pending, ended } = scanLine(words, options);
  const positionals = plain.slice('leaf' in next ? next.depth : 0);
  const names = Object.keys(leaf?.args ?? {});
  const rest = {
    args: Object.fromEntries(
      names.flatMap((name, index) => (positionals[index] === undefined ? [] : [[name, positionals[index]]])),
    ),
    flags: values,
  };
  if (pending) return { ...valueAt(pending, '', current), ...rest };
  const [, flag, text = ''] = /^(--[^=]+)=(.*)$/s.exec(ended ? '' : current) ?? [];
  const option = flag === undefined ? undefined : options.find(({ flags }) => longOf(flags) === flag);
  if (option) return { ...valueAt(option, `${flag}=`, text), ...rest };
  const flags = flagsOf(options, seen);
  const whole = { head: '', partial: current, ...rest };
  if (current.startsWith('-') && !ended) return { offer: flags, ...whole };
  if (leaf === undefined) return { offer: 'names' in next ? next.names : [], ...whole };
  const argument = argumentAfter(leaf, positionals, current);
  if (argument) return { ...argument, ...rest };
  return { offer: positionals.length < names.length || ended ? [] : flags, ...whole };
};
