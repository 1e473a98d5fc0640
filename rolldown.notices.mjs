// Writes dist/THIRD-PARTY-NOTICES: each package whose code is part of the programs or of the dashboard, with its licence.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Folders of the bundled packages. Each output adds its own. */
const folders = new Set();

/** Folder → notices of code in the package that the package lacks. */
const lacking = new Map();

/** Adds the notice of a package that is not bundled but copied. */
export const addNotice = (folder, more) => {
  folders.add(folder);
  lacking.set(folder, more);
};

/** The licence as the package contains it: its files, else the section of its readme. */
const textOf = (folder) => {
  const names = readdirSync(folder).sort();
  const read = (name) => readFileSync(path.join(folder, name), 'utf8').trim();
  const files = names.filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).map(read);
  if (files.length > 0) return files.join('\n\n');
  const readme = names.find((name) => /^readme/i.test(name));
  const sections = readme ? read(readme).split(/^#+ /m) : [];
  return sections.find((section) => /^licen[cs]e/i.test(section))?.trim();
};

const noticeOf = (folder) => {
  const { name, version, license, licenses, author } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  const declared = license ?? licenses?.map(({ type }) => type).join(' OR ');
  if (!declared) throw new Error(`${name} names no licence`);
  const by = author && ` by ${author.name ?? author}`;
  const text = textOf(folder) ?? `The package declares this licence${by ?? ''} and contains no text of it.`;
  return `${[`${name} ${version} (${declared})`, text, ...(lacking.get(folder) ?? [])].join('\n\n')}\n`;
};

/** @type {import('rolldown').Plugin} */
export const notices = {
  name: 'notices',
  generateBundle(_options, bundle) {
    for (const { modules = {} } of Object.values(bundle)) {
      for (const [id, { renderedLength }] of Object.entries(modules)) {
        const [folder] = /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? [];
        if (folder !== undefined && renderedLength > 0) folders.add(folder);
      }
    }
  },
  writeBundle() {
    const texts = [...folders].map(noticeOf).sort();
    const head = 'actorctl contains code of these packages.\n';
    writeFileSync(
      new URL('dist/THIRD-PARTY-NOTICES', import.meta.url),
      [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`),
    );
  },
};
