// Finds and reads the tests of projects. Every error names file, line and column.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { messageOf, usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import { checkDocument } from '../../local/project/project-check.ts';
import { PROJECT_FILE, TEST_FILES, YAML_FILES } from '../../local/project/project-names.ts';
import { type Path, type ProjectText, parseProjectText } from '../../local/project/project-text.ts';
import { type Sending, type TestDocument, testsDocument } from '../../local/project/test-document.ts';
import { parseDuration, parseStep } from '../../ui/format/time.ts';
import { readProjectOf } from '../project/apply.ts';
import { readProjectFile } from '../project/project-file.ts';
import type { ReadProject } from '../project/read-desired-state.ts';

export interface Test {
  /** The file as it is shown. */
  readonly file: string;
  readonly name: string;
  /** Where the test begins: `actorctl.test.yaml:2:3`. */
  readonly at: string;
  readonly document: TestDocument;
  readonly sends: readonly Sending[];
  readonly advance: string | undefined;
  readonly timeoutMs: number;
}

export interface TestFile {
  readonly file: string;
  /** Absolute path of the folder of the project. */
  readonly folder: string;
  readonly project: ReadProject;
  readonly tests: readonly Test[];
}

type Reader = Pick<CommandContext, 'cwd' | 'read' | 'user'>;

const FILE_LIMIT = 1024 * 1024;
const TIMEOUT = '1m';

const isProjectFile = (file: string): boolean => [PROJECT_FILE, ...YAML_FILES].includes(path.basename(file));

/** The files with tests in a folder: its test file, and its project file if that has tests. */
const filesIn = (folder: string): readonly string[] => {
  const files = [...TEST_FILES, ...YAML_FILES].map((name) => path.join(folder, name));
  const found = files.filter((file) => existsSync(file));
  if (found.length > 0) return found;
  throw usage(`there is no ${TEST_FILES[0]} and no ${YAML_FILES[0]} in ${folder}`, 'actorctl docs testing-actors');
};

/** Calls `work`. An error in the value gets its place in the file. */
const placed = <T>(text: ProjectText, at: Path, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw usage(`${text.at(at)}: ${messageOf(error)}`);
  }
};

const refuseUnknown = (text: ProjectText, at: Path, name: string, known: readonly string[]): void => {
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  throw usage(
    `${text.at(at)}: the project has no actor "${name}"`,
    meant === undefined ? `the actors are: ${known.join(', ')}` : `did you mean "${meant}"?`,
  );
};

const patternsOf = (given: string | readonly string[] | undefined): readonly string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : given;

const testOf = (
  file: string,
  text: ProjectText,
  [name, document]: readonly [string, TestDocument],
  actors: readonly string[],
): Test => {
  const at: Path = ['tests', name];
  const { send, state = {}, expect = {}, advance, timeout = TIMEOUT } = document;
  const sends = send === undefined ? [] : Array.isArray(send) ? send : [send];
  for (const [index, { to }] of sends.entries()) {
    refuseUnknown(text, [...at, 'send', ...(Array.isArray(send) ? [index] : []), 'to'], to, actors);
  }
  for (const key of Object.keys(state)) refuseUnknown(text, [...at, 'state', key], key, actors);
  for (const [key, { log }] of Object.entries(expect)) {
    refuseUnknown(text, [...at, 'expect', key], key, actors);
    const where: Path = [...at, 'expect', key, 'log', 'matches'];
    for (const pattern of patternsOf(log?.matches)) placed(text, where, () => new RegExp(pattern, 'm'));
  }
  if (sends.length === 0 && advance === undefined) {
    throw usage(`${text.atKey(at)}: test "${name}" does nothing`, 'give it send or advance');
  }
  return {
    file,
    name,
    at: text.atKey(at),
    document,
    sends,
    advance: advance === undefined ? undefined : placed(text, [...at, 'advance'], () => parseStep(advance)),
    timeoutMs: placed(text, [...at, 'timeout'], () => parseDuration(timeout, 'a duration')),
  };
};

/** Reads a file with tests, and the project that it belongs to. Undefined for a project file without tests. */
const readTestFile = async (
  context: CommandContext,
  file: string,
  allowOutside: boolean,
): Promise<TestFile | undefined> => {
  const folder = path.dirname(file);
  const shown = path.relative(context.cwd, file) || file;
  const own = isProjectFile(file);
  const text = own
    ? (await readProjectFile(context as Reader, file)).text
    : parseProjectText(shown, (await context.read(file, FILE_LIMIT)).toString('utf8'));
  const document = own
    ? (await readProjectFile(context as Reader, file)).document
    : checkDocument(testsDocument, text, text.value);
  if (document.tests === undefined) return undefined;
  const project = await readProjectOf(context, { file: own ? file : folder, allowOutside });
  const actors = project.wanted.actors.map(({ key }) => key);
  return {
    file: shown,
    folder,
    project,
    tests: Object.entries(document.tests).map((entry) => testOf(shown, text, entry, actors)),
  };
};

/** Reads all tests of the named files and folders. @throws CliFailure USAGE if one is wrong, or if there is none */
export const readTestFiles = async (
  context: CommandContext,
  names: readonly string[],
  allowOutside: boolean,
): Promise<readonly TestFile[]> => {
  const files: TestFile[] = [];
  for (const name of names.length === 0 ? ['.'] : names) {
    const named = path.resolve(context.cwd, name);
    const found = statSync(named, { throwIfNoEntry: false });
    if (found === undefined) throw usage(`there is no file or folder "${name}"`);
    for (const file of found.isDirectory() ? filesIn(named) : [named]) {
      const read = await readTestFile(context, file, allowOutside);
      if (read !== undefined) files.push(read);
    }
  }
  if (files.every(({ tests }) => tests.length === 0)) {
    throw usage('there are no tests', `write ${TEST_FILES[0]} beside the project: actorctl docs testing-actors`);
  }
  return files;
};
