// Finds and reads the file of a project: actorctl.yaml, or actorctl.json of a project or of one folder.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { derivedName } from '../../local/project/image-name.ts';
import { realOf } from '../../local/project/inside.ts';
import { checkDocument } from '../../local/project/project-check.ts';
import {
  projectDocument,
  projectName,
  type WholeDocument,
  wholeDocument,
} from '../../local/project/project-document.ts';
import { PROJECT_FILE, YAML_FILES } from '../../local/project/project-names.ts';
import { type ProjectText, parseProjectText } from '../../local/project/project-text.ts';
import { fillValues } from '../../local/project/project-values.ts';
import { requireFolderFile } from '../../local/small-file.ts';
import { flag, text } from '../framework/option.ts';

/** Largest project file, in bytes. */
const FILE_LIMIT = 1024 * 1024;

export const fileOptions = {
  file: text('-f, --file <path>', 'project file, or a folder with one, - for stdin (default: this folder)', 'files'),
  allowOutside: flag('--allow-outside', 'allow the project to use files outside its folder'),
};

export interface ProjectFile {
  /** Absolute path of the folder to which names in the file are relative. */
  readonly folder: string;
  readonly document: WholeDocument;
  /** True if the file describes the actor of one folder. Its image has the same name as with `actors deploy`. */
  readonly isFolder?: true;
  readonly text: ProjectText;
}

const fileIn = (folder: string): string => {
  const found = YAML_FILES.filter((name) => existsSync(path.join(folder, name)));
  if (found.length > 1) throw usage(`${folder} has ${found.join(' and ')}`, 'keep one of them, or name one with -f');
  const name = found[0] ?? PROJECT_FILE;
  if (existsSync(path.join(folder, name))) return path.join(folder, name);
  throw usage(
    `there is no ${YAML_FILES[0]} and no ${PROJECT_FILE} in ${folder}`,
    'write a project file, name one with -f, or create one from existing actors: actorctl export --all',
  );
};

/** The project file named with -f, or the project file of the current folder. */
export const findProjectFile = ({ cwd }: Pick<CommandContext, 'cwd'>, given: string | undefined): string => {
  if (given === '-') return given;
  const named = path.resolve(cwd, given ?? '.');
  const found = statSync(named, { throwIfNoEntry: false });
  if (found === undefined) throw usage(`there is no file or folder "${given}"`);
  return found.isDirectory() ? fileIn(named) : named;
};

/**
 * Reads the text of a project file. A file found in a folder must be a regular file; a file named by the user may be
 * a pipe.
 */
const textOf = async ({ read }: Pick<CommandContext, 'read'>, file: string): Promise<string> => {
  const isUsual = [PROJECT_FILE, ...YAML_FILES].includes(path.basename(file));
  return (isUsual ? requireFolderFile(file, FILE_LIMIT) : await read(file, FILE_LIMIT)).toString('utf8');
};

const isWhole = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['project', 'actors', 'aliases'].some((name) => Object.hasOwn(value, name));

/** The name of the project of a folder: the given name if it is valid. @param folder absolute path */
export const projectNameOf = async (name: string, folder: string): Promise<string> =>
  projectName.safeParse({ project: name }).success ? name : derivedName(name, await realOf(folder));

/** Reads a project file. The actorctl.json of a folder with one actor is a project of that actor. */
export const readProjectFile = async (
  { cwd, read, user }: Pick<CommandContext, 'cwd' | 'read' | 'user'>,
  given: string | undefined,
): Promise<ProjectFile> => {
  const file = findProjectFile({ cwd }, given);
  const content = await textOf({ read }, file);
  const shown = file === '-' ? 'stdin' : path.relative(cwd, file) || file;
  const parsed = parseProjectText(shown.startsWith('..') ? file : shown, content);
  const folder = file === '-' ? cwd : path.dirname(file);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage(`${parsed.at([])}: the file must be a mapping of fields`, 'begin with: project: NAME');
  if (isWhole(value) || path.basename(file) !== PROJECT_FILE) {
    return {
      folder,
      text: parsed,
      document: checkDocument(wholeDocument, parsed, fillValues(parsed, user.env)),
    };
  }
  const { name = path.basename(folder) } = checkDocument(projectDocument, parsed, value);
  const project = await projectNameOf(name, folder);
  return { folder, text: parsed, isFolder: true, document: { project, actors: { [name]: '.' } } };
};

/** The name of the project in a file. Variables in other fields need not be set. */
export const projectNameIn = async (
  context: Pick<CommandContext, 'cwd' | 'read' | 'user'>,
  file: string,
): Promise<string> => {
  const { cwd, read, user } = context;
  const parsed = parseProjectText(path.relative(cwd, file) || file, await textOf({ read }, file));
  if (!isWhole(parsed.value)) return (await readProjectFile(context, file)).document.project;
  const { project } = { project: '', ...(parsed.value as object) };
  return checkDocument(projectName, parsed, fillValues({ ...parsed, value: { project } }, user.env)).project;
};
