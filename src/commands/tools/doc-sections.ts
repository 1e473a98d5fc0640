// The sections of a page of the documentation.

export interface DocSection {
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
export const sectionsOf = (page: string): readonly DocSection[] => {
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
export const sectionText = (sections: readonly DocSection[], slug: string): string | undefined => {
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
export const lineWith = ({ lines }: DocSection, words: readonly string[]): string | undefined => {
  const lower = lines.map((line) => line.toLowerCase());
  const whole = lower.join('\n');
  if (!words.every((word) => whole.includes(word))) return undefined;
  const at = lower.findIndex((line) => words.some((word) => line.includes(word)));
  return lines[at]?.trim();
};
