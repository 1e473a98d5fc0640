// The home folder of the user, even for a user id without an entry in the password file, as in a container.
import { userInfo } from 'node:os';
import path from 'node:path';
import { CliFailure } from '../../failure.ts';

/** The home folder in the password file, or undefined: `os.userInfo` throws without an entry. */
const recorded = (): string | undefined => {
  try {
    return userInfo().homedir;
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
    absolute(named) ?? absolute(recorded()) ?? (env['ACTORCTL_HOME'] && path.resolve(env['ACTORCTL_HOME']));
  if (folder) return folder;
  const reason = named ? `HOME is "${named}", which is not an absolute path` : 'HOME is not set';
  throw new CliFailure('USAGE', `there is no home folder: ${reason}, and this user has none in the password file`, {
    hint: 'set HOME or ACTORCTL_HOME to a folder of your own',
  });
};
