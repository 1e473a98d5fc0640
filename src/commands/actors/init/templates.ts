// The files that `actors init` creates, for every language.
import { languages, lines } from './template-languages.ts';
import type { TemplateName } from './template-names.ts';

export const templateSummary = (name: TemplateName): string => languages[name].summary;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** True if a folder of the template can run as a process, without being compiled first. */
export const canBeProcess = (template: TemplateName): boolean => languages[template].command !== undefined;

const readme = (
  name: string,
  { process, hasCommand }: { readonly process: boolean; readonly hasCommand: boolean },
): string =>
  lines(
    `# ${name}`,
    '',
    'This actor handles one message at a time. Its printed output is the log.',
    '',
    ...(process
      ? [
          '    actorctl actors dev          # run the sample, again on every change',
          '    actorctl actors deploy       # create or update the actor, a process of this machine (admins only)',
        ]
      : [
          '    actorctl actors dev          # build and run the sample, again on every change',
          '    actorctl actors deploy       # build, then create or update the actor',
        ]),
    `    actorctl run ${name} --file tests/sample.json`,
    ...(process || !hasCommand
      ? []
      : [
          '',
          `Without a container engine the actor can run as a process of this machine (\`actor.json\`, admins only):`,
          '',
          '    actorctl actors deploy --process',
        ]),
  );

/** Names of files that no image needs. */
const dockerignore = lines(
  '.git',
  '.env',
  'README.md',
  'tests',
  'actorctl.json',
  'message.schema.json',
  'node_modules',
);

/**
 * The program of an actor, without a description of the actor.
 * @param kind.process true to run it as a process. The language must have a command for processes
 */
export const programFiles = (
  template: TemplateName,
  { process, ...kind }: { readonly process: boolean; readonly stateful: boolean; readonly greets?: boolean },
): Readonly<Record<string, string>> => {
  const { dockerfile, sources, command } = languages[template];
  return {
    ...(process ? { 'actor.json': json({ command }) } : { Dockerfile: dockerfile, '.dockerignore': dockerignore }),
    ...sources(kind.stateful, kind.greets),
  };
};

export const templateFiles = (
  template: TemplateName,
  {
    name,
    image,
    stateful,
    process = false,
  }: {
    readonly name: string;
    readonly image: string;
    readonly stateful: boolean;
    /** True for an actor without a container. The language must have a command for processes. */
    readonly process?: boolean;
  },
  project: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, string>> => {
  const { dockerfile, sources, command } = languages[template];
  return {
    'actorctl.json': json({
      name,
      alias: name,
      image: process ? 'file:.' : image,
      ...(stateful && { stateless: false }),
      message_schema: 'message.schema.json',
      ...project,
    }),
    ...(!process && {
      Dockerfile: dockerfile,
      '.dockerignore': dockerignore,
    }),
    ...sources(stateful),
    ...(command && { 'actor.json': json({ command }) }),
    'message.schema.json': json({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `Message of ${name}`,
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    }),
    'tests/sample.json': json({ text: 'hello' }),
    'README.md': readme(name, { process, hasCommand: command !== undefined }),
  };
};
