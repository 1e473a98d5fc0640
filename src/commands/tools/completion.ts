// `completion`: generates a script for bash, zsh or fish from the command definitions.
import { usage } from '../../failure.ts';
import { type Action, action, type CommandNode, type Entry, type Leaf, loadNode } from '../kernel/command.ts';
import { globalOptions, listOptions } from '../kernel/flags.ts';
import { type Option, type Options, optional } from '../kernel/option.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** A position on the command line and the words that may follow. */
interface Place {
  /** Words so far, joined by a space; empty at the top. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
}

const flagsOf = (options: Options): readonly Option<unknown>[] => Object.values(options);

const longOf = (flags: string): string => /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;

const leafPlace = (path: string, leaf: Leaf): Place => {
  const own = [...flagsOf(leaf.options), ...(leaf.list ? flagsOf(listOptions) : []), ...flagsOf(globalOptions)];
  const words = own.map(({ flags, description }) => ({ word: longOf(flags), summary: description }));
  const unique = words.filter(({ word }, index) => words.findIndex((each) => each.word === word) === index);
  const choices = Object.values(leaf.args).flatMap(({ choices: offered = [] }) => offered);
  return {
    path,
    words: [...choices.map((word) => ({ word, summary: '' })), ...unique, { word: '--help', summary: 'help' }],
  };
};

const placesOf = (node: CommandNode): readonly Place[] =>
  node.kind === 'leaf'
    ? [leafPlace(node.name, node)]
    : [
        { path: node.name, words: node.children.map(({ name, summary }) => ({ word: name, summary })) },
        ...node.children.map((leaf) => leafPlace(`${node.name} ${leaf.name}`, leaf)),
      ];

/** Quotes a text for any of the three shells: a single quote becomes close, escaped quote, open. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const wordList = (place: Place): string => place.words.map(({ word }) => word).join(' ');

/** All paths, separated by bars, so that a shell without lists can test for one. */
const known = (places: readonly Place[]): string => quoted(`|${places.map(({ path }) => path).join('|')}|`);

/** Works in bash 3.2, the version of macOS, which has no associative arrays. */
const bash = (
  places: readonly Place[],
): string => `# completion of actorctl for bash: eval "$(actorctl completion bash)"
_actorctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" known=${known(places)} path="" next index words=""
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$known" in *"|$next|"*) path="$next" ;; esac
  done
  case "$path" in
${places.map((place) => `    ${quoted(place.path)}) words=${quoted(wordList(place))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _actorctl actorctl
`;

const zsh = (places: readonly Place[]): string => `#compdef actorctl
# completion of actorctl for zsh: eval "$(actorctl completion zsh)"
_actorctl() {
  local known=${known(places)} spoken="" next word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${spoken:+$spoken }$word"
    [[ $known == *"|$next|"* ]] && spoken=$next
  done
  case "$spoken" in
${places
  .map((place) => {
    const entries = place.words.map(({ word, summary }) => quoted(`${word}:${summary.replaceAll(':', '\\:')}`));
    return `    ${quoted(place.path)}) candidates=(${entries.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  _describe actorctl candidates
}
compdef _actorctl actorctl
`;

/** Quotes a text for fish, where a backslash in single quotes is an escape. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const fish = (places: readonly Place[]): string => {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ word, summary }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c actorctl -f -n ${fishQuoted(`test (__actorctl_path) = "${path}"`)} ${what} -d ${fishQuoted(summary)}`;
    }),
  );
  return `# completion of actorctl for fish: actorctl completion fish | source
function __actorctl_path
  set -l known ${fishQuoted(`|${places.map(({ path }) => path).join('|')}|`)}
  set -l spoken ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$spoken $word")
    string match -q -- "*|$next|*" $known; and set spoken $next
  end
  echo "$spoken"
end
${lines.join('\n')}
`;
};

const writers = { bash, zsh, fish } as const;

/** The command `completion`. It receives the catalog as a function, because the catalog contains this command. */
export const completionCommand = (catalog: () => readonly Entry[]): Action =>
  action({
    args: { shell: optional('bash, zsh or fish', shells) },
    examples: ['eval "$(actorctl completion bash)"'],
    run: async ({ output }, { shell }) => {
      const chosen = shells.find((each) => each === shell);
      if (chosen === undefined)
        throw usage(`the shell must be one of ${shells.join(', ')}`, 'actorctl completion bash');
      const entries = catalog();
      const nodes = await Promise.all(entries.map(loadNode));
      const top = { path: '', words: entries.map(({ name, summary }) => ({ word: name, summary })) };
      await output.bytes(Buffer.from(writers[chosen]([top, ...nodes.flatMap(placesOf)])));
      return 0;
    },
  });
