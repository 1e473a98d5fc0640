// Reads the commit of a folder from git.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CliFailure, messageOf } from '../../failure.ts';

const run = promisify(execFile);

/** The short commit of a folder, with `-dirty` if there are uncommitted changes. */
export const commitOf = async (folder: string): Promise<string> => {
  try {
    const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder });
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--', '.'], { cwd: folder });
    return `${commit.trim()}${changes.trim() === '' ? '' : '-dirty'}`;
  } catch (error) {
    throw new CliFailure('USAGE', `cannot find a git commit of ${folder}: ${messageOf(error).split('\n')[0]}`, {
      cause: error,
      hint: 'name a tag with --tag NAME',
    });
  }
};
