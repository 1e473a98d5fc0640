// `docs`: the documentation that is installed with the program.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import type { View } from '../../ui/format/view.ts';
import { showInPager } from '../../ui/pager.ts';
import { action } from '../framework/command.ts';
import { flag, optional, text } from '../framework/option.ts';

interface DocSection {
  /** The end of its address, as GitHub makes it from the heading. */
  readonly slug: string;
  readonly title: string;
  /** Number of `#` of the heading. */
  readonly level: number;
  /** The heading and what follows it, up to the next heading of any level. */
  readonly lines: readonly string[];
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** Lines of code are never headings. What comes before the first heading is left out. */
const sectionsOf = (page: string): readonly DocSection[] => {
  const sections: (DocSection & { lines: string[] })[] = [];
  const uses = new Map<string, number>();
  let isCode = false;
  for (const line of page.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const [, marks = '', title = ''] = (isCode ? null : /^(#{1,6}) (.+)$/.exec(line)) ?? [];
    if (marks === '') sections.at(-1)?.lines.push(line);
    else {
      const slug = slugOf(title);
      const used = uses.get(slug) ?? 0;
      uses.set(slug, used + 1);
      sections.push({ slug: used === 0 ? slug : `${slug}-${used}`, title, level: marks.length, lines: [line] });
    }
  }
  return sections;
};

/** The text of a section with its subsections. Undefined if the page has no such section. */
const sectionText = (sections: readonly DocSection[], slug: string): string | undefined => {
  const at = sections.findIndex((each) => each.slug === slug);
  const [first, ...others] = sections.slice(at);
  if (at < 0 || first === undefined) return undefined;
  const end = others.findIndex(({ level }) => level <= first.level);
  const own = [first, ...(end < 0 ? others : others.slice(0, end))];
  return `${own
    .flatMap(({ lines }) => lines)
    .join('\n')
    .trimEnd()}\n`;
};

/** The first line with one of the words, if the section has all of them. Upper and lower case are the same. */
const lineWith = ({ lines }: DocSection, words: readonly string[]): string | undefined => {
  const lower = lines.map((line) => line.toLowerCase());
  const whole = lower.join('\n');
  if (!words.every((word) => whole.includes(word))) return undefined;
  const at = lower.findIndex((line) => words.some((word) => line.includes(word)));
  return lines[at]?.trim();
};

interface Page {
  readonly topic: string;
  readonly about: string;
  /** The file, relative to the folder of the pages (default: that of the topic). */
  readonly file?: string;
}

/** The pages of the folder docs for users. A test checks that each exists and is in the package. */
export const pages: readonly Page[] = [
  { topic: 'getting-started', about: 'From the installation to two connected actors, in ten minutes' },
  { topic: 'concepts', about: 'The terms, and how they depend on each other' },
  { topic: 'actors', about: 'Writing an actor: what it finds, results, state, limits, debugging' },
  { topic: 'testing-actors', about: 'Tests of actors: a temporary platform, alone and in CI' },
  { topic: 'cli', about: 'The command line: output, exit codes, contexts, login, scripts' },
  { topic: 'projects', about: 'Several actors in one file: actorctl.yaml, apply, diff, export' },
  {
    topic: 'schema',
    about: 'The JSON schema of project files, for editors',
    file: path.join('..', 'dist', 'actorctl.schema.json'),
  },
  { topic: 'oauth', about: 'OAuth clients, the four flows, lifetimes, revocation' },
  { topic: 'http-api', about: 'Requests, envelope, errors, paging, search, streams' },
  { topic: 'operations', about: 'Running the daemon: settings, folders, limits, backup, removal' },
  { topic: 'troubleshooting', about: 'From an error message to its fix' },
  { topic: 'engines', about: 'Container engines: Docker, Podman, virtual machines, Swarm' },
  { topic: 'legacy', about: 'Running Abaco and Agave programs: agavepy, abaco-cli' },
  { topic: 'dashboard', about: 'The dashboard: watch and control actors in a browser' },
  { topic: 'security', about: 'What is protected from whom, and what you must do' },
];

const view: View<Page> = {
  id: ({ topic }) => topic,
  fields: ['topic', 'about'],
  columns: [
    { header: 'TOPIC', value: ({ topic }) => topic },
    { header: 'ABOUT', value: ({ about }) => about },
  ],
};

interface Hit {
  readonly section: string;
  readonly line: string;
  readonly command: string;
}

const hitView: View<Hit> = {
  id: ({ section }) => section,
  fields: ['section', 'line', 'command'],
  columns: [
    { header: 'SECTION', value: ({ section }) => section, role: 'name' },
    { header: 'LINE', value: ({ line }) => line },
    { header: 'COMMAND', value: ({ command }) => command },
  ],
};

type Reading = Pick<CommandContext, 'docsDir' | 'read'>;

const fileOf = ({ docsDir }: Reading, { topic, file = `${topic}.md` }: Page): string => path.join(docsDir, file);

const isText = ({ file }: Page): boolean => file === undefined;

const search = async (context: Reading, text: string): Promise<readonly Hit[]> => {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) throw usage('--search needs a word');
  const hits: Hit[] = [];
  for (const page of pages.filter(isText)) {
    for (const section of sectionsOf((await context.read(fileOf(context, page))).toString('utf8'))) {
      const line = lineWith(section, words);
      const name = `${page.topic}#${section.slug}`;
      if (line !== undefined) hits.push({ section: name, line, command: `actorctl docs ${name}` });
    }
  }
  return hits;
};

const pageNamed = (topic: string): Page => {
  const page = pages.find((each) => each.topic === topic);
  if (page !== undefined) return page;
  const names = pages.map((each) => each.topic);
  const meant = nearest(topic, names);
  throw usage(
    `no page named "${topic}"`,
    meant === undefined ? `the pages are: ${names.join(', ')}` : `did you mean "actorctl docs ${meant}"?`,
  );
};

/** @throws USAGE with the sections, if the page has no such section */
const sectionOf = (page: Page, text: string, slug: string): string => {
  const sections = isText(page) ? sectionsOf(text) : [];
  const found = sectionText(sections, slug);
  if (found !== undefined) return found;
  const slugs = sections.map((each) => each.slug);
  const meant = nearest(slug, slugs);
  const all = slugs.length === 0 ? `actorctl docs ${page.topic}` : `the sections are: ${slugs.join(', ')}`;
  throw usage(
    `the page "${page.topic}" has no section "${slug}"`,
    meant === undefined ? all : `did you mean "actorctl docs ${page.topic}#${meant}"?`,
  );
};

/** On a terminal: formatted for it, in the pager of the user. */
const showPage = async ({ output, user, takeSignals }: CommandContext, page: Page, text: string): Promise<void> => {
  const shown = isText(page)
    ? (await import('../../ui/markdown.ts')).formatMarkdown(text, {
        paint: output.paint,
        width: output.width,
      })
    : text;
  if (!(await showInPager(shown, { ...user, takeSignals }))) await output.bytes(Buffer.from(shown));
};

export const docsCommand = action({
  details:
    'Without a topic: the list of pages. The pages are installed with the program and fit its version.\nOn a terminal a page is formatted and shown in a pager (ACTORCTL_PAGER, else PAGER, else less). ACTORCTL_PAGER=cat shows it without one.',
  args: {
    topic: optional(
      'page to print, or PAGE#SECTION',
      pages.map(({ topic }) => topic),
    ),
  },
  options: {
    search: text('--search <words>', 'list the sections that have all these words'),
    path: flag('--path', 'print the name of the file, not its text'),
    plain: flag('--plain', 'print the page as it is stored, also to a terminal'),
  },
  examples: [
    'actorctl docs',
    'actorctl docs cli',
    'actorctl docs actors#results',
    'actorctl docs --search "secret config"',
  ],
  run: async (context, { topic: given }, options) => {
    const { output, read } = context;
    if (options.search !== undefined) {
      if (given !== undefined || options.path) throw usage('--search lists sections of all pages, and takes no page');
      output.rows(await search(context, options.search), hitView);
      return 0;
    }
    if (given === undefined) {
      output.rows(pages, view);
      return 0;
    }
    const [topic = '', slug] = given.split('#', 2);
    const page = pageNamed(topic);
    const file = fileOf(context, page);
    if (options.path) {
      output.report(file, { topic, path: file }, file);
      return 0;
    }
    const bytes = await read(file);
    const shown = slug === undefined ? bytes : Buffer.from(sectionOf(page, bytes.toString('utf8'), slug));
    if (output.printsValue) output.report('', { topic, path: file, text: shown.toString('utf8') });
    else if (output.tty && !options.plain) await showPage(context, page, shown.toString('utf8'));
    else await output.bytes(shown);
    return 0;
  },
});
