// Flags of `up` for archives: the archive to import at the start, and the archive to write at the end.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { checkArchive } from '../../local/archive/archive-reader.ts';
import { archiveFailure } from '../../local/archive/snapshots.ts';
import type { LaunchFlags } from '../../local/daemon/launch.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { flag, type Option, type Options, text, type ValuesOf } from '../framework/option.ts';

/** The value of `--backup-on-exit [file]`. True if no file is given. */
const backupOnExit: Option<string | true | undefined> = {
  flags: '--backup-on-exit [file]',
  description: 'write all data when the daemon stops (default: to the file of --import)',
  completes: 'files',
  read: (given) => {
    const value = given.at(-1);
    return value === undefined || value === false ? undefined : value;
  },
};

export const importOptions = {
  importFile: text('--import <file>', 'start with the data of this archive', 'files'),
  replace: flag('--replace', 'with --import: replace existing data, after taking a snapshot'),
  backupOnExit,
  withKeys: flag('--with-keys', 'with --backup-on-exit: include the key of secret configs'),
} as const satisfies Options;

export const importFlags = (
  { output, cwd }: Pick<CommandContext, 'output' | 'cwd'>,
  given: ValuesOf<typeof importOptions>,
): LaunchFlags => {
  const file = given.importFile === undefined ? undefined : path.resolve(cwd, given.importFile);
  if (given.replace && file === undefined) throw usage('--replace needs --import FILE');
  if (given.withKeys && given.backupOnExit === undefined) throw usage('--with-keys needs --backup-on-exit');
  if (given.backupOnExit === true && file === undefined)
    throw usage('--backup-on-exit needs a file', 'write --backup-on-exit=FILE, or add --import FILE');
  const written = typeof given.backupOnExit === 'string' ? path.resolve(cwd, given.backupOnExit) : file;
  const exports = given.backupOnExit !== undefined;
  if (exports && written !== undefined && !existsSync(path.dirname(written)))
    throw usage(`there is no folder ${path.dirname(written)} for --backup-on-exit`);
  const isFirst = exports && file !== undefined && file === written && !existsSync(file);
  if (isFirst)
    output.note(
      `the file ${given.importFile} does not exist yet: the daemon starts empty, and writes the file when it stops`,
    );
  return {
    ...(file !== undefined && !isFirst && { importFile: file }),
    ...(given.replace && !isFirst && { replace: true }),
    ...(exports && written !== undefined && { backupOnExit: written, backupKeys: given.withKeys }),
  };
};

export const refuseImport = ({ importFile }: LaunchFlags, { pid }: ManageStatus): void => {
  if (importFile === undefined) return;
  throw new CliFailure('ALREADY_RUNNING', `the daemon (process ${pid}) runs already, with its own data`, {
    hint: `actorctl snapshot restore ${importFile} --replace`,
  });
};

/**
 * Refuses a damaged archive before the running daemon is stopped. @param schema schema of the daemon that will read
 * the archive; absent if unknown
 */
export const checkFirst = async (
  { output, signal }: Pick<CommandContext, 'output' | 'signal'>,
  file: string,
  schema?: number,
): Promise<void> => {
  const progress = await output.progress(`Checking ${path.basename(file)}`);
  try {
    const options = { onProgress: progress.advance, signal, ...(schema !== undefined && { schema }) };
    await checkArchive(file, options);
  } catch (error) {
    throw archiveFailure(file, error);
  } finally {
    progress.stop();
  }
};

/** The attributes that show whether a file was replaced. */
const identityOf = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs}`;
};

/**
 * Returns a function to call after the stop. It throws CliFailure STORE_UNAVAILABLE if the daemon has not written the
 * file of `--backup-on-exit`.
 */
export const expectBackup = (status: ManageStatus | undefined): (() => void) => {
  const file = status?.launch?.backupOnExit;
  if (status === undefined || file === undefined) return () => undefined;
  const before = identityOf(file);
  return () => {
    if (identityOf(file) !== before) return;
    const what = `the daemon is stopped, but it could not write ${file}. The data stay in ${status.dataDir}`;
    throw new CliFailure('STORE_UNAVAILABLE', what, { hint: 'actorctl daemon logs -n 20' });
  };
};
