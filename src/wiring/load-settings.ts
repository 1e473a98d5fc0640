// Reads the settings of a command from flags, environment and files.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { GlobalValues } from '../commands/framework/flags.ts';
import { type OnBlank, readJson } from '../local/json-file.ts';
import { DEFAULT_INSTANCE, paths } from '../local/paths.ts';
import { resolveSettings, type Settings } from '../local/settings/settings.ts';
import type { ProcessContext } from '../process-context.ts';
import { parseDuration } from '../ui/format/time.ts';

/** Finds the nearest actorctl.json in this folder or a parent folder, as git finds its repository. */
const findProject = (cwd: string): string | undefined => {
  const file = path.join(cwd, 'actorctl.json');
  if (existsSync(file)) return file;
  const parent = path.dirname(cwd);
  return parent === cwd ? undefined : findProject(parent);
};

const document = async (file: string | undefined, onBlank?: OnBlank) => {
  if (file === undefined) return undefined;
  const value = await readJson(file, onBlank);
  return value === undefined ? undefined : { path: file, value };
};

export const loadSettings = async (flags: GlobalValues, around: ProcessContext): Promise<Settings> => {
  const { settingsFile, contextsFile } = paths({ ...around, instance: DEFAULT_INSTANCE });
  const blankFiles: string[] = [];
  const onBlank = (file: string): void => void blankFiles.push(file);
  const [settings, contexts, project] = await Promise.all([
    document(settingsFile, onBlank),
    document(contextsFile, onBlank),
    document(findProject(around.cwd)),
  ]);
  const found = { settings, contexts, project };
  const files = Object.values(found).some((file) => file !== undefined)
    ? (await import('../local/settings/settings-file.ts')).checkFiles(found)
    : {};
  return resolveSettings({
    flags: {
      ...flags,
      output: flags.json ? 'json' : flags.ndjson ? 'ndjson' : flags.output,
      noInput: !flags.input,
    },
    env: around.env,
    files,
    blankFiles,
    duration: parseDuration,
  });
};
