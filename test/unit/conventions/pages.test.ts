// The program accepts every command line of actorctl in the shell blocks of the pages, and the pages stay short.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CliFailure } from '../../../src/failure.ts';
import { plan } from '../../../src/program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The lines that a reader types: of a block of `console` those after `$ `, with continued lines joined and without here-documents. */
const typedLines = (page: string): string[] =>
  [...page.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block = '']) => {
    const text = block.replace(/\\\n\s*/g, ' ').replace(/<<-?'?(\w+)'?(.*)\n[\s\S]*?^\s*\1$/gm, '$2');
    const lines = text.split('\n');
    return kind === 'sh' ? lines : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  });

/** Length of the `$(…)` at the beginning of the text, with both parentheses. */
const substitutionLength = (text: string): number => {
  let depth = 0;
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return text.length;
};

/** Splits a shell line into commands, each a list of words. The commands in `$(…)` are added, and stand as one word where they are. */
const commandsOf = (line: string): string[][] => {
  const commands: string[][] = [[]];
  const inner: string[][] = [];
  let word: string | undefined;
  let quote = '';
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let index = 0; index < line.length; index += 1) {
    const sign = line[index] ?? '';
    const rest = line.slice(index);
    if (sign === quote) quote = '';
    else if (quote !== "'" && rest.startsWith('$(')) {
      const length = substitutionLength(rest);
      inner.push(...commandsOf(rest.slice(2, length - 1)));
      word = `${word ?? ''}output`;
      index += length - 1;
    } else if (quote !== '') {
      if (sign === '\\' && quote === '"') index += 1;
      word = `${word ?? ''}${line[index] ?? ''}`;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (sign === '#' && word === undefined) break;
    else if (/\s/.test(sign)) endWord();
    else if (/^\d?[<>]/.test(rest) && (word === undefined || !/^\d/.test(rest))) {
      endWord();
      // A redirection is not part of the command.
      index += (/^\d?[<>]+(?:&\d|\s*\S+)/.exec(rest)?.[0].length ?? 1) - 1;
    } else if (/[|&;()]/.test(sign)) {
      endWord();
      commands.push([]);
    } else word = `${word ?? ''}${sign}`;
  }
  endWord();
  return [...commands, ...inner].filter(({ length }) => length > 0);
};

/** The arguments of each command of `actorctl` in a line, also of one after variables. */
const argumentsOf = (line: string): string[][] =>
  commandsOf(line)
    .map((words) =>
      words.slice(
        Math.max(
          0,
          words.findIndex((word) => !/^\w+=/.test(word)),
        ),
      ),
    )
    .filter(([program]) => program === 'actorctl')
    .map(([, ...args]) => args);

/** Why the program refuses the arguments; undefined if it accepts them. */
const refusal = async (args: readonly string[]): Promise<string | undefined> => {
  try {
    const planned = await plan(args);
    return planned.kind === 'run' || planned.exit === 0 ? undefined : 'names no command';
  } catch (error) {
    if (error instanceof CliFailure) return error.message;
    throw error;
  }
};

/** Words as `wc -w` counts them. */
const wordsIn = (file: string): number => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length;

describe('pages of docs/', () => {
  // 32 000 words, and the pages about testing actors and about what an actor finds and returns.
  it('without decisions have at most 35 000 words in all', () => {
    const counted = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.md') && !file.startsWith('adr'),
    );
    expect(counted.length).toBeGreaterThan(10);
    const words = counted.map((file) => wordsIn(join(root, 'docs', file)));
    const total = words.reduce((sum, count) => sum + count, 0);
    expect(total, `${total} words: shorten another page`).toBeLessThanOrEqual(35_000);
  });
});

describe('command lines of actorctl', () => {
  it.each(pages)('in %s are accepted by the program', async (page) => {
    const lines = typedLines(readFileSync(join(root, page), 'utf8'));
    const wrong: string[] = [];
    for (const args of lines.flatMap(argumentsOf)) {
      const reason = await refusal(args);
      if (reason !== undefined) wrong.push(`actorctl ${args.join(' ')}: ${reason}`);
    }
    expect(wrong).toEqual([]);
  });

  it('are found in quotes, pipes, lists, substitutions and after variables', () => {
    expect(argumentsOf(`A=1 actorctl run wc -m "a b" --jq '.x|.y' | head && actorctl down # actorctl up`)).toEqual([
      ['run', 'wc', '-m', 'a b', '--jq', '.x|.y'],
      ['down'],
    ]);
    expect(argumentsOf('echo "$(actorctl env --shell sh)" > out 2>&1; (cd x && actorctl status >/dev/null)')).toEqual([
      ['status'],
      ['env', '--shell', 'sh'],
    ]);
  });

  it('are found in blocks of sh and console, without output and here-documents', () => {
    const page = [
      '```sh',
      'cat > f <<EOF',
      'actorctl nothing',
      'EOF',
      'actorctl run \\',
      '  wc',
      '```',
      '```console',
      '$ actorctl up',
      'actorctl nothing',
      '```',
    ];
    expect(typedLines(page.map((line) => `${line}\n`).join('')).flatMap(argumentsOf)).toEqual([['run', 'wc'], ['up']]);
  });

  it('with an unknown flag, an unknown command, or only a group are refused', async () => {
    expect(await refusal(['up', '--logn'])).toMatch(/unknown option/);
    expect(await refusal(['acters'])).toMatch(/unknown command|no command/);
    expect(await refusal(['actors'])).toBe('names no command');
    expect(await refusal(['up', '--login'])).toBeUndefined();
  });
});
