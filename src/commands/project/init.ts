// `init`: creates the folder of a new project.
import path from 'node:path';
import { CliFailure, usage } from '../../failure.ts';
import { shellWord } from '../../local/single-quoted.ts';
import { namesIn, writeAll } from '../actors/actors-init.ts';
import { templateNames } from '../actors/init/template-names.ts';
import { action } from '../framework/command.ts';
import { choice, flag, optional, text } from '../framework/option.ts';

/** Names of projects that are also names of actors and configs. */
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;

/** The name of a project in a folder, which may have any name. */
const nameFrom = (folder: string): string => {
  const name = path
    .basename(folder)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 48);
  return name === '' ? 'project' : name;
};

export const initCommand = action({
  args: { folder: optional('folder (default: the current folder)', 'folders') },
  options: {
    template: choice('--template <name>', `language: ${templateNames.join(', ')} (default: python)`, templateNames),
    process: flag('--process', 'actors without containers: processes of this machine (admins)'),
    name: text('--name <name>', 'name of the project (default: the name of the folder)'),
    force: flag('--force', 'allow a folder that is not empty, and replace files with the same names'),
  },
  details:
    'Writes actorctl.yaml with two linked actors, a config and a schedule, a test, and a README. On a terminal it asks for what no flag says.',
  examples: ['actorctl init hello', 'actorctl init hello --template node --process'],
  run: async (context, { folder: given }, { template: wanted, process, name, force }) => {
    const { cwd, output, prompt } = context;
    const folder = path.resolve(cwd, given ?? '.');
    const project = name ?? nameFrom(folder);
    if (!VALID_NAME.test(project))
      throw usage(
        `--name: "${project}" must begin with a letter or digit and have letters, digits, dashes and underscores only, at most 48`,
      );
    const inTheWay = await namesIn(folder);
    if (inTheWay.length > 0 && !force)
      throw new CliFailure('ALREADY_EXISTS', `${folder} is not empty: ${inTheWay.slice(0, 5).join(', ')}`, {
        hint: 'use another folder, or add --force',
      });
    const { canBeProcess, templateSummary } = await import('../actors/init/templates.ts');
    const languages = templateNames.map((value) => ({ value, name: `${value}: ${templateSummary(value)}` }));
    const template = wanted ?? (await prompt.choose('Language of the actors', languages, 'python'));
    if (process && !canBeProcess(template))
      throw usage(
        `--process: an actor of the template ${template} needs a container, which builds its program`,
        `choose ${templateNames.filter(canBeProcess).join(', ')}, or leave out --process`,
      );
    const kinds = [
      { value: 'container', name: 'as containers: isolated, and need a container engine' },
      { value: 'process', name: 'as processes of this machine: need nothing, and only admins may create them' },
    ] as const;
    const isProcess =
      process || (canBeProcess(template) && (await prompt.choose('Run the actors', kinds, 'container')) === 'process');
    const { projectFiles } = await import('./project-template.ts');
    const files = projectFiles({ project, template, process: isProcess });
    await writeAll(folder, files);
    output.result(
      `Created ${given ?? folder} (project ${project}, ${template}, ${isProcess ? 'processes' : 'containers'})`,
      { dir: folder, project, template, process: isProcess, files: Object.keys(files) },
      folder,
    );
    output.next(`${given === undefined ? '' : `cd ${shellWord(given)} && `}actorctl test`);
    return 0;
  },
});
