// Lets a person change a text in the editor of their choice.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CliFailure, usage } from '../failure.ts';
import { SECRET_VARIABLE } from './browser.ts';

export interface EditorInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether a person sits at a terminal: without one, only an editor that was named is started. */
  readonly terminal: boolean;
}

/** A text under edit, in a file that nobody else may read. */
export interface Draft {
  readonly file: string;
  /** Opens the editor and answers what the person left. @throws CliFailure USAGE when it fails, CONFIRMATION_REQUIRED without one */
  readonly edit: () => Promise<string>;
  /** Removes the file. */
  readonly discard: () => Promise<void>;
}

export interface Editor {
  /** @param name of the file, so that the editor knows its language */
  readonly draft: (name: string, text: string) => Promise<Draft>;
}

/** The shell splits the words, as git and every other program does it: `code --wait`. */
const run = (command: string, file: string, { env, platform }: EditorInput): Promise<void> =>
  new Promise((resolve, reject) => {
    const refused = (why: string) => reject(usage(`the editor "${command}" ${why}`));
    // Stdout is left to the result; an editor draws as well on stderr.
    const options = {
      stdio: [0, 2, 2],
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name))),
    };
    const child =
      platform === 'win32'
        ? spawn(`${command} "${file}"`, { ...options, shell: true })
        : spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], options);
    child.once('error', (error) => refused(`cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => (code === 0 ? resolve() : refused(`ended with ${signal ?? code}`)));
  });

/** Makes it. `VISUAL` wins over `EDITOR`; on a terminal there is a default. */
export const createEditor = (input: EditorInput): Editor => ({
  draft: async (name, text) => {
    const fallback = input.platform === 'win32' ? 'notepad' : 'vi';
    const command = input.env['VISUAL'] || input.env['EDITOR'] || (input.terminal ? fallback : undefined);
    if (command === undefined) {
      throw new CliFailure(
        'CONFIRMATION_REQUIRED',
        'there is no terminal to edit at, and neither VISUAL nor EDITOR is set',
      );
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'actorctl-edit-'));
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
