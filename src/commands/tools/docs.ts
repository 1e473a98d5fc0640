// `docs`: the documentation that is installed with the program.
import path from 'node:path';
import { usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import type { View } from '../../ui/format/view.ts';
import { action } from '../framework/command.ts';
import { flag, optional } from '../framework/option.ts';

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

export const docsCommand = action({
  details: 'Without a topic: the list of pages. The pages are installed with the program and fit its version.',
  args: {
    topic: optional(
      'page to print',
      pages.map(({ topic }) => topic),
    ),
  },
  options: { path: flag('--path', 'print the name of the file, not its text') },
  examples: ['actorctl docs', 'actorctl docs cli | less', 'open "$(actorctl docs http-api --path)"'],
  run: async ({ output, docsDir, read }, { topic }, options) => {
    if (topic === undefined) {
      output.rows(pages, view);
      return 0;
    }
    const page = pages.find((each) => each.topic === topic);
    if (page === undefined) {
      const names = pages.map((each) => each.topic);
      const meant = nearest(topic, names);
      throw usage(
        `no page named "${topic}"`,
        meant === undefined ? `the pages are: ${names.join(', ')}` : `did you mean "actorctl docs ${meant}"?`,
      );
    }
    const file = path.join(docsDir, page.file ?? `${topic}.md`);
    if (options.path) output.report(file, { topic, path: file }, file);
    else if (output.printsValue) output.report('', { topic, path: file, text: (await read(file)).toString('utf8') });
    else await output.bytes(await read(file));
    return 0;
  },
});
