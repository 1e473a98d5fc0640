// The page of figures (Markdown) of one run. It contains nothing of an earlier run.
import type { Row, Section } from '../figures.ts';
import { noteOn } from './notes.ts';
import { cellsOf, HEADINGS, isMet } from './table.ts';

/** One run of the benchmark. */
export interface Run {
  readonly command: string;
  readonly date: Date;
  readonly commit: string;
  readonly machine: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly sections: readonly Section[];
  /** What could not be measured, with the reason. */
  readonly skipped: Readonly<Record<string, string>>;
}

/** Where the plot of a section is, relative to the page. */
export const plotPath = ({ title }: Section): string => `img/${title.toLowerCase()}.svg`;

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The rows that the README quotes: what, and the beginning of the other side. */
const quoted: readonly (readonly [what: string, against: string])[] = [
  ['message → COMPLETE', 'docker run --rm'],
  ['tokens, client_credentials, durable', 'oidc-provider'],
  ['actorctl --version', 'firebase'],
];

const QUOTES = /(<!-- quotes of the benchmark -->\n)[\s\S]*?(<!-- end of the quotes -->)/;

/** The README with rows of this run in place of those that it quotes. Rows that were not measured are left out. */
export const quotedIn = (readme: string, rows: readonly Row[]): string => {
  const lines = quoted.flatMap(([what, against]) =>
    rows.filter((row) => row.what === what && row.against?.startsWith(against)).map((row) => line(cellsOf(row))),
  );
  const table = [line(HEADINGS), '|---|---|---|---|---|', ...lines].join('\n');
  return readme.replace(QUOTES, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
};

const notesOf = (rows: readonly Row[]): readonly string[] => {
  const missed = rows.filter((row) => isMet(row) === false);
  if (missed.length === 0) return ['All goals were reached.'];
  const byNote = new Map<string, string[]>();
  for (const row of missed) {
    const note = noteOn(row) ?? 'No reason is known yet.';
    const name = row.against === undefined ? row.what : `${row.what} (${row.against})`;
    byNote.set(note, [...(byNote.get(note) ?? []), name]);
  }
  const items = [...byNote].map(([note, names]) => `- **${names.join('; ')}.** ${note}`);
  return ['Goals that were not reached, and why:', '', ...items];
};

export const pageOf = (run: Run): string => {
  const { command, date, commit, machine, seconds, rows, sections, skipped } = run;
  const met = rows.filter((row) => isMet(row) === true).length;
  const goals = rows.filter(({ goal }) => goal !== undefined).length;
  return [
    '# Figures of one run of `npm run bench`',
    '',
    `\`${command}\` wrote this page on ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC, at commit ${commit}, in ${seconds} s. Machine: ${machine}.`,
    '',
    'Compare the ratios only: absolute times depend on the machine. Both sides of a row are measured alternately in this run; figures are medians. The column `floor` is the',
    `least that the task can cost, the same work by a minimal program, or another program that does the task. ✓ and ✗ show whether the goal was reached: ${met} of ${goals}.`,
    '',
    line(HEADINGS),
    '|---|---|---|---|---|',
    ...rows.map((row) => line(cellsOf(row))),
    ...Object.entries(skipped).flatMap(([name, reason]) => ['', `Not measured: ${name}, ${reason}.`]),
    '',
    ...notesOf(rows),
    ...sections.flatMap((section) => [
      '',
      `## ${section.title}`,
      '',
      section.text,
      ...(section.plot === undefined ? [] : ['', `![${section.title}](${plotPath(section)})`]),
    ]),
    '',
  ].join('\n');
};
