// Lets the user change a text in an editor.
import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, usage } from '../failure.ts';
import { childEnvironment } from './child-environment.ts';

export interface EditorInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True if there is a terminal. Without one only an editor named in the environment is started. */
  readonly terminal: boolean;
  readonly temporaryFolder: (prefix: string) => Promise<string>;
}

/** A text being edited, in a file that only its owner can read. */
export interface Draft {
  readonly file: string;
  /** Returns the edited text. @throws CliFailure USAGE if the editor fails, CONFIRMATION_REQUIRED if there is none */
  readonly edit: () => Promise<string>;
  readonly discard: () => Promise<void>;
}

export type Editor = ReturnType<typeof createEditor>;

/**
 * Runs the editor. Its command may have arguments, such as `code --wait`. The shell splits it into words, as git does.
 */
const run = (command: string, file: string, { env, platform }: EditorInput): Promise<void> =>
  new Promise((resolve, reject) => {
    const refused = (why: string) => reject(usage(`the editor "${command}" ${why}`));
    // The editor draws on stderr, because stdout is reserved for the result.
    const options = {
      stdio: [0, 2, 2],
      env: childEnvironment(env),
    };
    const child =
      platform === 'win32'
        ? spawn(`${command} "${file}"`, { ...options, shell: true })
        : spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], options);
    child.once('error', (error) => refused(`cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => (code === 0 ? resolve() : refused(`ended with ${signal ?? code}`)));
  });

/** Creates the editor access. `VISUAL` overrides `EDITOR`. On a terminal there is a default editor. */
export const createEditor = (input: EditorInput) => ({
  /** @param name of the file; the editor detects the language by its extension */
  draft: async (name: string, text: string): Promise<Draft> => {
    const fallback = input.platform === 'win32' ? 'notepad' : 'vi';
    const command = input.env['VISUAL'] || input.env['EDITOR'] || (input.terminal ? fallback : undefined);
    if (command === undefined) {
      throw new CliFailure(
        'CONFIRMATION_REQUIRED',
        'cannot start an editor: there is no terminal, and neither VISUAL nor EDITOR is set',
      );
    }
    const folder = await input.temporaryFolder('actorctl-edit-');
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    return {
      file,
      edit: async () => {
        await run(command, file, input);
        return readFile(file, 'utf8');
      },
      discard: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
