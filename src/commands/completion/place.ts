// Finds what may stand at the cursor of a command line that is not finished. Asks nobody.
import { catalog, entryOf } from '../framework/catalog.ts';
import { type CommandNode, childOf, type Leaf, loadLeaf, loadNode } from '../framework/command.ts';
import { globalOptions, listOptions } from '../framework/flags.ts';
import type { Option } from '../framework/option.ts';
import { topics } from '../framework/topics.ts';
import { type Kind, kindOfArgument, kindOfFlag, takesCommas } from './kinds.ts';

export interface Candidate {
  readonly word: string;
  /** What the word stands for; empty if there is nothing to say. */
  readonly about: string;
}

export interface Place {
  readonly offer: Kind | { readonly is: 'candidates'; readonly candidates: readonly Candidate[] };
  /** Beginning of the typed word that stays as it is: `--status=`, `a,b,`. */
  readonly head: string;
  /** The rest of the typed word. Candidates begin with it. */
  readonly partial: string;
  readonly args: Readonly<Record<string, string>>;
  readonly flags: ReadonlyMap<string, string>;
}

type AnyOption = Option<unknown>;

const longOf = ({ flags }: AnyOption): string => /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;
const shortOf = ({ flags }: AnyOption): string | undefined => /^-[A-Za-z](?=,)/.exec(flags)?.[0];

const shared: readonly AnyOption[] = Object.values(globalOptions);

/** All options of a command; its own hide shared ones of the same name. */
const optionsOf = (leaf: Leaf | undefined): readonly AnyOption[] => {
  const own: readonly AnyOption[] = Object.values(leaf?.options ?? {});
  const taken = new Set(own.map(longOf));
  const others = [...(leaf?.list === true ? Object.values(listOptions) : []), ...shared];
  return [...own, ...others.filter((option) => !taken.has(longOf(option)))];
};

/** A line, taken apart with the options that may be in it. */
interface Scan {
  /** Words that are neither flags nor values of flags. */
  readonly plain: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly seen: ReadonlySet<string>;
  readonly pending: AnyOption | undefined;
  /** True after `--`: the rest are arguments. */
  readonly ended: boolean;
}

const scan = (words: readonly string[], options: readonly AnyOption[]): Scan => {
  const plain: string[] = [];
  const values = new Map<string, string>();
  const seen = new Set<string>();
  let pending: AnyOption | undefined;
  let ended = false;
  for (const word of words) {
    if (pending) {
      values.set(longOf(pending), word);
      pending = undefined;
    } else if (ended || word === '-' || !word.startsWith('-')) plain.push(word);
    else if (word === '--') ended = true;
    else {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const option = options.find((each) => longOf(each) === name || shortOf(each) === name);
      if (!option) continue;
      seen.add(longOf(option));
      if (value !== undefined) values.set(longOf(option), value);
      else if (option.flags.includes('<')) pending = option;
    }
  }
  return { plain, values, seen, pending, ended };
};

const candidate = ({ name, summary }: { readonly name: string; readonly summary: string }): Candidate => ({
  word: name,
  about: summary,
});

/** What follows a word of the command: names of commands, or the arguments of a leaf. */
type Next = { readonly names: readonly Candidate[] } | { readonly leaf: Leaf; readonly depth: number };

const inside = async (node: CommandNode, verb: string | undefined): Promise<Next> => {
  if (node.kind === 'leaf') return { leaf: node, depth: 1 };
  if (verb === undefined) return { names: node.children.map(candidate) };
  const entry = childOf(node, verb);
  return entry ? { leaf: { ...(await loadLeaf(entry)), name: `${node.name} ${entry.name}` }, depth: 2 } : { names: [] };
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
    .filter((option) => option.many === true || !seen.has(longOf(option)))
    .map((option) => ({ word: longOf(option), about: option.description })),
  { word: '--help', about: 'show help' },
];

const valueAt = (
  path: string,
  option: AnyOption,
  head: string,
  text: string,
): Pick<Place, 'offer' | 'head' | 'partial'> => {
  const long = longOf(option);
  const cut = takesCommas(path, long) ? text.lastIndexOf(',') + 1 : 0;
  return {
    offer: kindOfFlag(path, long, option.choices),
    head: head + text.slice(0, cut),
    partial: text.slice(cut),
  };
};

/** The argument with this index; the last one if it repeats. */
const argumentAt = (leaf: Leaf, index: number): Place['offer'] => {
  const entries = Object.entries(leaf.args);
  const last = entries.length - 1;
  const at = index > last && entries[last]?.[1].variadic === true ? last : index;
  const found = entries[at];
  return (found && kindOfArgument(leaf.name, found[0], found[1].choices, index - at)) ?? { is: 'free' };
};

/** Finds what may stand at the cursor. @param current the word at the cursor, possibly empty */
export const placeOf = async (words: readonly string[], current: string): Promise<Place> => {
  const next = await nextOf(scan(words, shared).plain);
  const leaf = 'leaf' in next ? next.leaf : undefined;
  const path = leaf?.name ?? '';
  const options = optionsOf(leaf);
  const { plain, values, seen, pending, ended } = scan(words, options);
  const positionals = plain.slice('leaf' in next ? next.depth : 0);
  const names = Object.keys(leaf?.args ?? {});
  const rest = {
    args: Object.fromEntries(
      names.flatMap((name, index) => (positionals[index] === undefined ? [] : [[name, positionals[index]]])),
    ),
    flags: values,
  };
  if (pending) return { ...valueAt(path, pending, '', current), ...rest };
  const [, flag, text = ''] = /^(--[^=]+)=(.*)$/s.exec(ended ? '' : current) ?? [];
  const option = flag === undefined ? undefined : options.find((each) => longOf(each) === flag);
  if (option) return { ...valueAt(path, option, `${flag}=`, text), ...rest };
  const flags: Place['offer'] = { is: 'candidates', candidates: flagsOf(options, seen) };
  const whole = { head: '', partial: current, ...rest };
  if (current.startsWith('-') && !ended) return { offer: flags, ...whole };
  if (leaf === undefined)
    return { offer: { is: 'candidates', candidates: 'names' in next ? next.names : [] }, ...whole };
  const offer = argumentAt(leaf, positionals.length);
  const more = positionals.length < names.length || offer.is !== 'free' || ended;
  return { offer: more ? offer : flags, ...whole };
};
