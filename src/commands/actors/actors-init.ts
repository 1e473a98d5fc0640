// `actors init`: creates the folder of a new actor, or converts a project of the Abaco tools.
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure, fileFailure, systemCode, usage } from '../../failure.ts';
import { makeFolders } from '../../local/folders/make-folders.ts';
import { derivedImage, derivedName } from '../../local/project/image-name.ts';
import { realOf } from '../../local/project/inside.ts';
import { PROJECT_FILE } from '../../local/project/project-names.ts';
import { readFolderFile } from '../../local/small-file.ts';
import { action } from '../framework/command.ts';
import { choice, flag, optional, text } from '../framework/option.ts';
import { folderOf } from './build-image.ts';
import { templateNames } from './init/template-names.ts';

/** Pattern of names that need no quotes in command lines. */
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** File mode: readable only by the owner, because the file may contain secrets. */
const SECRET_MODE = 0o600;

export const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFailure('cannot use', folder, error);
  }
};

export const writeAll = async (
  folder: string,
  files: Readonly<Record<string, string>>,
  secret: ReadonlySet<string> = new Set(),
): Promise<void> => {
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(folder, name);
      await makeFolders(path.dirname(file), 0o777);
      await writeFile(file, content, secret.has(name) ? { mode: SECRET_MODE } : {});
    }
  } catch (error) {
    throw fileFailure('cannot write', folder, error);
  }
};

const envLines = (values: Readonly<Record<string, string>>): string => {
  const broken = Object.entries(values).find(([, value]) => /[\r\n]/.test(value));
  if (broken)
    throw usage(`secrets.json: the value of ${broken[0]} has several lines, which an env file cannot contain`);
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};

const converted = async (
  { output }: Pick<CommandContext, 'output'>,
  folder: string,
): Promise<Readonly<Record<string, string>>> => {
  const [reactor, ini, secrets] = ['reactor.rc', 'project.ini', 'secrets.json'].map((name) =>
    readFolderFile(path.join(folder, name))?.toString('utf8'),
  );
  if (reactor === undefined && ini === undefined) {
    throw usage(`${folder} has neither reactor.rc nor project.ini`, 'give a folder with reactor.rc or project.ini');
  }
  const { readAbacoProject } = await import('./init/abaco-project.ts');
  const { project, secrets: values, left } = readAbacoProject({ reactor, ini, secrets });
  if (left.length > 0) output.warn(`not converted, because actorctl has no equivalent: ${left.join(', ')}`);
  return {
    [PROJECT_FILE]: `${JSON.stringify(project, undefined, 2)}\n`,
    ...(Object.keys(values).length > 0 && { '.env': envLines(values) }),
  };
};

export const actorsInit = action({
  args: { folder: optional('folder (default: the current folder)', 'folders') },
  options: {
    template: choice('--template <name>', `${templateNames.join(', ')} (default: python)`, templateNames),
    name: text('--name <name>', 'name of the actor (default: the name of the folder)'),
    stateful: flag('--stateful', 'give the actor a state'),
    process: flag('--process', 'write an actor without a container: a process of this machine (admins)'),
    fromAbaco: flag('--from-abaco', 'write actorctl.json from reactor.rc, project.ini and secrets.json'),
    list: flag('--list', 'only list the templates'),
    force: flag('--force', 'allow a folder that is not empty, and replace files with the same names'),
  },
  examples: [
    'actorctl actors init hello --template node',
    'actorctl actors init hello --process',
    'actorctl actors init --from-abaco ./old-reactor',
  ],
  run: async (context, { folder: given }, { template, name: wanted, stateful, process, fromAbaco, list, force }) => {
    const { output } = context;
    const { canBeProcess, templateFiles, templateSummary } = await import('./init/templates.ts');
    if (list) {
      const rows = templateNames.map((each) => ({ name: each, description: templateSummary(each) }));
      output.rows(rows, {
        id: ({ name }) => name,
        columns: [
          { header: 'TEMPLATE', value: ({ name }) => name, role: 'name' },
          { header: 'DESCRIPTION', value: ({ description }) => description },
        ],
      });
      return 0;
    }
    const folder = folderOf(context, given);
    const identity = { folder: await realOf(folder) };
    const base = path.basename(folder);
    const name = wanted ?? (VALID_NAME.test(base) ? base : derivedName(base, identity.folder));
    if (!VALID_NAME.test(name)) {
      throw usage(
        `--name: "${name}" must begin with a letter or digit and contain only letters, digits, dots, dashes and underscores`,
      );
    }
    const chosen = template ?? 'python';
    if (process && fromAbaco) throw usage('--process and --from-abaco cannot be used together');
    if (process && !canBeProcess(chosen))
      throw usage(
        `--process: an actor of the template ${chosen} needs a container, which builds its program`,
        `choose ${templateNames.filter(canBeProcess).join(', ')}, or leave out --process`,
      );
    const files = fromAbaco
      ? await converted(context, folder)
      : templateFiles(chosen, { name, image: derivedImage(name, identity), stateful, process });
    const there = await namesIn(folder);
    // With --from-abaco the folder contains the old project files. Only files that would be replaced are a conflict.
    const inTheWay = fromAbaco ? there.filter((each) => Object.hasOwn(files, each)) : there;
    if (inTheWay.length > 0 && !force) {
      throw new CliFailure('ALREADY_EXISTS', `${folder} is not empty: ${inTheWay.slice(0, 5).join(', ')}`, {
        hint: 'use another folder, or add --force',
      });
    }
    await writeAll(folder, files, new Set(['.env']));
    const kind = fromAbaco ? 'from-abaco' : chosen;
    output.result(
      `Created ${given ?? folder} (${kind})`,
      { dir: folder, template: kind, files: Object.keys(files) },
      folder,
    );
    output.next(`${given === undefined ? '' : `cd ${given} && `}actorctl actors dev`);
    return 0;
  },
});
