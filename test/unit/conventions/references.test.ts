// Every reference resolves inside this repository: `@see` in comments, and relative links and anchors in Markdown.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const code = tracked.filter((file) => /\.(tsx?|mjs)$/.test(file));
const pages = tracked.filter((file) => file.endsWith('.md'));

/** The comments of a file, each as one line. */
const commentsOf = (text: string): string[] =>
  [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|\/\/ .*$/gm)].map(([comment]) =>
    comment
      .replace(/^\s*(\/\*\*?|\*\/|\*(?!\/)|\/\/)/gm, ' ')
      .replace(/\*\/$/, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );

/**
 * The tokens that a page defines: numbers at the beginning of headings, and ids at the beginning of table rows or list
 * items.
 */
const tokensOf = (page: string): readonly string[] =>
  read(page)
    .split('\n')
    .flatMap(
      (line) => /^#+ (\d+(?:\.\d+)*)\b/.exec(line)?.[1] ?? /^(?:\||[-*]) *(?:\*\*)?([RC]\d+)\b/.exec(line)?.[1] ?? [],
    );

const citable = new Map<string, ReadonlySet<string>>();
const citableOf = (page: string): ReadonlySet<string> => {
  const found = citable.get(page) ?? new Set(tokensOf(page));
  citable.set(page, found);
  return found;
};

const TOKEN = String.raw`(?:[RC]\d+|\d+(?:\.\d+)*)`;
const CITATION = new RegExp(String.raw`\b(docs/[\w/.-]+?\.md)(?:#([\w-]+))?((?: ${TOKEN}(?:, ${TOKEN}(?!\w))*)?)`, 'g');

/** The anchor that GitHub derives from a heading. */
const slug = (heading: string): string =>
  heading
    .replace(/[`*]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-');

const anchorsOf = (page: string): Set<string> =>
  new Set([...read(page).matchAll(/^#+ (.*)$/gm)].map((match) => slug((match[1] ?? '').trim())));

/** The references of a comment that do not resolve. */
const deadIn = (comment: string): string[] =>
  [...comment.matchAll(CITATION)].flatMap(([citation, page = '', anchor, tokens = '']) => {
    if (!existsSync(join(root, page))) return [citation];
    if (anchor !== undefined && !anchorsOf(page).has(anchor)) return [citation];
    return tokens
      .split(',')
      .map((token) => token.trim())
      .filter((token) => token !== '' && !citableOf(page).has(token))
      .map((token) => `${page} ${token}`);
  });

describe('references', () => {
  it('are unambiguous, because each requirement id is defined once', () => {
    const ids = tokensOf('docs/conformance/security.md').filter((token) => /^[RC]/.test(token));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('in comments resolve to a section or an id of a page in docs/', () => {
    const cited = code.flatMap((file) => commentsOf(read(file)).flatMap((comment) => [...comment.matchAll(CITATION)]));
    expect(cited.length).toBeGreaterThan(200);
    const dead = code.flatMap((file) =>
      commentsOf(read(file)).flatMap((comment) => deadIn(comment).map((what) => `${file}: ${what}`)),
    );
    expect(dead).toEqual([]);
  });

  it('with @see name a page of docs/, a public standard, an address or a piece of code in backquotes', () => {
    const strange = code.flatMap((file) =>
      commentsOf(read(file)).flatMap((comment) =>
        [...comment.matchAll(/@see (\S+)/g)]
          .filter(([, target = '']) => !/^(docs\/|RFC$|WHATWG$|https:\/\/|`|[a-z]+\(\d\))/.test(target))
          .map(([see]) => `${file}: ${see}`),
      ),
    );
    expect(strange).toEqual([]);
  });

  it('name only documents of this repository', () => {
    const named = [...code, ...pages].filter(
      (file) =>
        file !== 'test/unit/conventions/references.test.ts' &&
        /\b(auth|wire|perf|design)\.md\b|\bfacts \d/.test(read(file)),
    );
    expect(named).toEqual([]);
  });

  it('are detected when they do not resolve', () => {
    expect(deadIn('Refuses it. @see docs/conformance/security.md R01, R999')).toEqual([
      'docs/conformance/security.md R999',
    ]);
    expect(deadIn('@see docs/security.md#security, docs/security.md#nothing')).toEqual(['docs/security.md#nothing']);
    expect(deadIn('@see docs/architecture.md#patterns, docs/nowhere.md 1')).toEqual(['docs/nowhere.md 1']);
  });
});

describe('the list of decisions', () => {
  it('has the title and the status of each page', () => {
    const listed = [
      ...read('docs/adr/README.md').matchAll(
        /^\| (\d+) \| \[(.+)\]\((\S+)\) \| (accepted|superseded(?: in part)?) \|/gm,
      ),
    ].map(([, number, title, file, status]) => ({ file, heading: `# ${number}. ${title}`, status }));
    const written = pages
      .filter((page) => /^docs\/adr\/\d/.test(page))
      .map((page) => {
        const [heading, , status = ''] = read(page).split('\n');
        return {
          file: page.slice('docs/adr/'.length),
          heading,
          status: /^Status: ([a-z ]+?)(?: by .*)?\./.exec(status)?.[1],
        };
      });
    expect(written.length).toBeGreaterThan(20);
    expect(listed).toEqual(written);
  });
});

describe('links in Markdown', () => {
  it('lead to files and headings that exist', () => {
    const links = pages.flatMap((page) =>
      [
        ...read(page)
          .replace(/```[\s\S]*?```/g, '')
          .matchAll(/\]\(([^)\s]+)\)/g),
      ]
        .map((match) => match[1] ?? '')
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => ({ page, target })),
    );
    expect(links.length).toBeGreaterThan(100);
    const dead = links.filter(({ page, target }) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
    });
    expect(dead).toEqual([]);
  });
});
