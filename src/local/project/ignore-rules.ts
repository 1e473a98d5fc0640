// The rules of .dockerignore, matched in time that grows with the length of rule and path only. The meaning of a rule
// is that of Docker. @see https://docs.docker.com/build/concepts/context/#dockerignore-files
import path from 'node:path';

/**
 * A part of a rule. `star` is `*`. `folders` is `**` followed by more of the rule: any number of whole folders. `rest`
 * is `**` at the end of the rule. `one` is `?`.
 */
type Token =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'one' | 'star' | 'folders' | 'rest' }
  | { readonly kind: 'class'; readonly matches: RegExp };

interface Rule {
  readonly isException: boolean;
  readonly tokens: readonly Token[];
}

/** The end of the class that begins at `start`, or -1 if it is not closed. */
const endOfClass = (rule: readonly string[], start: number): number => {
  for (let at = start + 1; at < rule.length; at += 1) {
    if (rule[at] === '\\') at += 1;
    else if (rule[at] === ']') return at;
  }
  return -1;
};

const classOf = (source: string): RegExp | undefined => {
  try {
    return new RegExp(`^${source}$`, 's');
  } catch {
    return undefined;
  }
};

const tokensOf = (text: string): readonly Token[] => {
  const rule = [...text];
  const tokens: Token[] = [];
  /** Adds a token. Drops the second of two equal wildcards in a row, because both together match the same as one. */
  const add = (token: Token): void => {
    if (token.kind === 'letter' || token.kind === 'class' || token.kind === 'one' || tokens.at(-1)?.kind !== token.kind)
      tokens.push(token);
  };
  for (let at = 0; at < rule.length; at += 1) {
    const letter = rule[at] ?? '';
    if (letter === '*' && rule[at + 1] === '*') {
      at += rule[at + 2] === '/' ? 2 : 1;
      add({ kind: at + 1 >= rule.length ? 'rest' : 'folders' });
    } else if (letter === '*') add({ kind: 'star' });
    else if (letter === '?') add({ kind: 'one' });
    else if (letter === '\\' && at + 1 < rule.length) {
      at += 1;
      add({ kind: 'letter', letter: rule[at] ?? '' });
    } else if (letter === '[') {
      const end = endOfClass(rule, at);
      const matches = end === -1 ? undefined : classOf(rule.slice(at, end + 1).join(''));
      if (matches === undefined) add({ kind: 'letter', letter });
      else {
        add({ kind: 'class', matches });
        at = end;
      }
    } else add({ kind: 'letter', letter });
  }
  return tokens;
};

const clean = (rule: string): string => path.posix.normalize(rule).replace(/(?<=.)\/$/, '');

const ruleOf = (line: string): Rule | undefined => {
  const said = line.trim();
  if (line.startsWith('#') || said === '') return undefined;
  const isException = said.startsWith('!');
  // On Windows a backslash separates names, so it is not an escape character.
  const written = (isException ? said.slice(1).trim() : said).replaceAll(path.sep === '\\' ? '\\' : '/', '/');
  const rule = written === '' ? '' : clean(written).replace(/^\/(?=.)/, '');
  return rule === '' ? undefined : { isException, tokens: tokensOf(rule) };
};

/** True if a single-character token matches this character. */
const takes = (token: Token, letter: string): boolean => {
  if (token.kind === 'letter') return token.letter === letter;
  return token.kind === 'class' ? token.matches.test(letter) : token.kind === 'one' && letter !== '/';
};

/**
 * True if the rule matches the path or a folder above it. Follows all possible matches in parallel, so that none is
 * tried twice.
 */
const matches = (tokens: readonly Token[], name: string): boolean => {
  // Positions of the tokens that may match next, and positions of `folders` tokens that are inside a folder name.
  let next = new Set<number>();
  let within = new Set<number>();
  const reach = (set: Set<number>, at: number): void => {
    let token = at;
    while (!set.has(token)) {
      set.add(token);
      const kind = tokens[token]?.kind;
      if (kind !== 'star' && kind !== 'folders' && kind !== 'rest') return;
      token += 1;
    }
  };
  reach(next, 0);
  for (const letter of name) {
    if (letter === '/' && next.has(tokens.length)) return true;
    const after = new Set<number>();
    const inside = new Set<number>();
    for (const at of within) {
      inside.add(at);
      if (letter === '/') reach(after, at + 1);
    }
    for (const at of next) {
      const token = tokens[at];
      if (token === undefined) continue;
      if (token.kind === 'rest') reach(after, at);
      else if (token.kind === 'folders') {
        inside.add(at);
        if (letter === '/') reach(after, at + 1);
      } else if (token.kind === 'star') {
        if (letter !== '/') reach(after, at);
      } else if (takes(token, letter)) reach(after, at + 1);
    }
    next = after;
    within = inside;
    if (next.size === 0 && within.size === 0) return false;
  }
  return next.has(tokens.length);
};

export interface IgnoreRules {
  /** @param name relative path with forward slashes */
  readonly ignores: (name: string) => boolean;
  /** True if a rule with `!` re-includes files. */
  readonly takesBack: boolean;
}

/** Parses the text of an ignore file. The last rule that matches a path decides. */
export const ignoreRules = (text: string): IgnoreRules => {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const rules = lines.flatMap((line) => ruleOf(line) ?? []);
  const newestFirst = [...rules].reverse();
  return {
    ignores: (name) => newestFirst.find(({ tokens }) => matches(tokens, name))?.isException === false,
    takesBack: rules.some(({ isException }) => isException),
  };
};
