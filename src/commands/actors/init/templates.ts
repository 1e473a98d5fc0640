// The files that `actors init` creates, for every language.
import { languages, lines } from './template-languages.ts';
import type { TemplateName } from './template-names.ts';

export const templateSummary = (name: TemplateName): string => languages[name].summary;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const readme = (name: string, command: readonly string[] | undefined): string =>
  lines(
    `# ${name}`,
    '',
    'This actor handles one message at a time. Its printed output is the log.',
    '',
    '    actorctl actors dev          # build and run the sample, again on every change',
    '    actorctl actors deploy       # build, then create or update the actor',
    `    actorctl run ${name} --file tests/sample.json`,
    ...(command === undefined
      ? []
      : [
          '',
          `Without a container engine the actor can run as a process of this machine (\`actor.json\`, admins only):`,
          '',
          '    actorctl actors create .',
        ]),
  );

export const templateFiles = (
  template: TemplateName,
  { name, image, stateful }: { readonly name: string; readonly image: string; readonly stateful: boolean },
  project: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, string>> => {
  const { dockerfile, sources, command } = languages[template];
  return {
    'actorctl.json': json({
      name,
      alias: name,
      image,
      ...(stateful && { stateless: false }),
      message_schema: 'message.schema.json',
      ...project,
    }),
    Dockerfile: dockerfile,
    '.dockerignore': lines(
      '.git',
      '.env',
      'README.md',
      'tests',
      'actorctl.json',
      'message.schema.json',
      'node_modules',
    ),
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
    'README.md': readme(name, command),
  };
};
