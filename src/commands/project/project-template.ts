// The files of a new project: two linked actors, a config, a schedule, a test and a README.

import { YAML_FILES } from '../../local/project/project-names.ts';
import type { TemplateName } from '../actors/init/template-names.ts';
import { programFiles } from '../actors/init/templates.ts';

const lines = (...text: readonly string[]): string => `${text.join('\n')}\n`;

const under = (folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

export interface NewProject {
  readonly project: string;
  readonly template: TemplateName;
  /** True for processes of this machine, false for containers. */
  readonly process: boolean;
}

export const projectFiles = ({ project, template, process }: NewProject): Readonly<Record<string, string>> => {
  const [greeter, counter, greeting] = [`${project}-greeter`, `${project}-counter`, `${project}.greeting`];
  const source = (folder: string): string =>
    process ? `    image: ./${folder}` : `    build: { context: ./${folder} }`;
  // The shell counts in a number, the other languages in a member of an object.
  const counted = (count: number): string => (template === 'bash' ? String(count) : `{ count: ${count} }`);
  return {
    [YAML_FILES[0] ?? '']: lines(
      `project: ${project}`,
      'actors:',
      '  # Greets whomever a message names, and once a day everybody.',
      `  ${greeter}:`,
      source('greeter'),
      `    env: { GREETING: { config: ${greeting} } }`,
      `    link: ${counter}`,
      '    cron: { schedule: "@daily", message: everybody }',
      '  # Gets the events of the greeter, and counts them in its state.',
      `  ${counter}:`,
      source('counter'),
      '    stateless: false',
      'configs:',
      `  ${greeting}: { value: hello }`,
    ),
    'actorctl.test.yaml': lines(
      'tests:',
      '  greets, and counts the greeting:',
      `    state: { ${counter}: ${counted(0)} }`,
      `    send: { to: ${greeter}, message: Ana }`,
      '    expect:',
      `      ${greeter}: { exit: 0, runs: 1, log: { contains: hello Ana } }`,
      `      ${counter}: { exit: 0, runs: 1, state: ${counted(1)} }`,
      '  greets once a day:',
      `    state: { ${counter}: ${counted(0)} }`,
      '    advance: 2d',
      '    expect:',
      `      ${greeter}: { exit: 0, runs: 2, log: { contains: hello everybody } }`,
      `      ${counter}: { exit: 0, runs: 2, state: ${counted(2)} }`,
    ),
    'README.md': lines(
      `# ${project}`,
      '',
      `\`${greeter}\` greets with the words in the config \`${greeting}\`. Its events, such as the end of a run, go along the link to \`${counter}\`, which counts them in its state.`,
      '',
      '| file | holds |',
      '|---|---|',
      '| `actorctl.yaml` | the actors, their link, schedule and config |',
      '| `actorctl.test.yaml` | the tests |',
      '| `greeter`, `counter` | the programs |',
      '',
      'Run the tests on a platform that exists only for them:',
      '',
      '    actorctl test',
      '',
      'Put the project on the platform of this machine, and use it:',
      '',
      '    actorctl up --login',
      '    actorctl apply --wait',
      `    actorctl run ${greeter} -m Ana --settle`,
      `    actorctl logs ${greeter}`,
      `    actorctl state get ${counter}`,
      '',
      'Change the greeting. The next run has it:',
      '',
      `    actorctl configs update ${greeting} --value welcome`,
      '',
      ...(process
        ? []
        : [
            'The actors are containers. `actorctl init --process` writes a project that needs no container engine.',
            '',
          ]),
      'Remove the project:',
      '',
      '    actorctl project delete -f actorctl.yaml --yes',
    ),
    ...under('greeter', programFiles(template, { process, stateful: false, greets: true })),
    ...under('counter', programFiles(template, { process, stateful: true })),
  };
};
