// The home folder and the login shell of the user, even for a user id without an entry in the password file, as in a
// container.
import { type UserInfo, userInfo } from 'node:os';
import path from 'node:path';
import { CliFailure } from '../../failure.ts';

/** The entry in the password file, or undefined: `os.userInfo` throws without one. */
const recorded = (): UserInfo<string> | undefined => {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
};

const absolute = (folder: string | undefined): string | undefined =>
  folder !== undefined && path.isAbsolute(folder) ? folder : undefined;

/**
 * Returns the home folder: `HOME` (`USERPROFILE` on Windows) if it is an absolute path, else the home folder of the
 * password file, else `ACTORCTL_HOME`, which then contains all files of actorctl.
 */
export const homeFolder = (env: Readonly<Record<string, string | undefined>>): string => {
  const named = env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  const folder =
    absolute(named) ?? absolute(recorded()?.homedir) ?? (env['ACTORCTL_HOME'] && path.resolve(env['ACTORCTL_HOME']));
  if (folder) return folder;
  const reason = named ? `HOME is "${named}", which is not an absolute path` : 'HOME is not set';
  throw new CliFailure('USAGE', `there is no home folder: ${reason}, and this user has none in the password file`, {
    hint: 'set HOME or ACTORCTL_HOME to a folder of your own',
  });
};

/** Returns the program of the user's shell: `SHELL` if it is set and not empty, else the shell of the password file. */
export const loginShell = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env['SHELL'] || recorded()?.shell || undefined;
