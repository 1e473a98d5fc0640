// The start-up file of a shell, and a marked block in it that belongs to this program.
import { lstat, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, fileFailure, systemCode, usage } from '../failure.ts';
import { makeFolders } from './folders/make-folders.ts';
import { replaceTarget } from './user-files.ts';

export interface ShellPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Name of the shell that a program runs, as in `completion install`. */
export const shellNameOf = (program: string | undefined): string | undefined =>
  program === undefined ? undefined : path.basename(program).replace(/^pwsh$/, 'powershell');

/** Start-up file of interactive shells. @param shell bash, zsh, fish or powershell */
export const startFileOf = (
  shell: 'bash' | 'zsh' | 'fish' | 'powershell',
  { env, home, platform }: ShellPlaces,
): string => {
  const config = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  switch (shell) {
    // Terminals of macOS start login shells, which do not read .bashrc.
    case 'bash':
      return path.join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc');
    case 'zsh':
      return path.join(env['ZDOTDIR'] || home, '.zshrc');
    case 'fish':
      return path.join(config, 'fish', 'completions', 'actorctl.fish');
    case 'powershell':
      return platform === 'win32'
        ? path.join(home, 'Documents', 'PowerShell', 'profile.ps1')
        : path.join(config, 'powershell', 'profile.ps1');
  }
};

const BEGIN = '# >>> actorctl completion >>>';
const END = '# <<< actorctl completion <<<';

/** The text with the block replaced, added at the end, or removed (`block` undefined). */
export const withBlock = (text: string, block: string | undefined, file: string): string => {
  const lines = text.split('\n');
  // An editor may have changed the line breaks.
  const begin = lines.findIndex((line) => line.trimEnd() === BEGIN);
  const end = begin === -1 ? -1 : lines.findIndex((line, index) => index > begin && line.trimEnd() === END);
  if (begin !== -1 && end === -1) {
    throw usage(
      `${file} has the line "${BEGIN}" without "${END}"`,
      'delete the block by hand, then run this command again',
    );
  }
  const marked = block === undefined ? [] : [BEGIN, ...block.trimEnd().split('\n'), END];
  if (begin !== -1) return [...lines.slice(0, begin), ...marked, ...lines.slice(end + 1)].join('\n');
  if (block === undefined) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${marked.join('\n')}\n`;
};

/** Reads the file with one character per byte, because other lines may have an encoding other than UTF-8. */
const BYTES = 'latin1';

const textOf = async (file: string): Promise<string> => {
  try {
    // Reading a FIFO would wait for its writer.
    if (!(await stat(file)).isFile()) throw usage(`cannot change ${file}: it is not a regular file`, 'move it away');
    return await readFile(file, BYTES);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
};

/**
 * Writes the block into a file, or removes it. Follows a link, and preserves the mode and all other bytes.
 * @param block ASCII; undefined removes the block, and a file that is empty then is deleted
 * @returns false if the file needed no change
 */
export const writeBlock = async (
  file: string,
  block: string | undefined,
  { dryRun }: { readonly dryRun: boolean },
): Promise<boolean> => {
  try {
    const before = await textOf(file);
    const after = withBlock(before, block, file);
    if (after === before) return false;
    if (dryRun) return true;
    if (after.trim() === '' && block === undefined && (await lstat(file)).isFile()) {
      await unlink(file);
      return true;
    }
    if (before === '') await makeFolders(path.dirname(file), 0o777);
    await replaceTarget(file, Buffer.from(after, BYTES));
    return true;
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    throw fileFailure('cannot change', file, error);
  }
};
