// Refuses root a home of another user, as after `sudo -E`: files of root there lock that user out.
import { CliFailure } from '../../failure.ts';
import type { Paths } from '../paths.ts';
import { nearestExisting } from './access.ts';

export interface HomeUse {
  readonly uid: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly paths: Pick<Paths, 'configDir' | 'dataDir' | 'stateDir'>;
}

/** @throws CliFailure USAGE if sudo made the user root, and a folder to be used belongs to another user */
export const refuseForeignHome = ({ uid, env, home, paths }: HomeUse): void => {
  if (uid !== 0 || !env['SUDO_UID'] || env['SUDO_UID'] === '0') return;
  const folders = [paths.configDir, paths.dataDir, paths.stateDir, ...(env['ACTORCTL_HOME'] ? [] : [home])];
  for (const folder of folders) {
    const { at, found } = nearestExisting(folder);
    if (found.uid === 0) continue;
    throw new CliFailure(
      'USAGE',
      `sudo makes this command root, but ${at} belongs to user ${found.uid}, who could not use the files of root there`,
      { hint: 'run actorctl without sudo, or with the home of root: sudo -H actorctl' },
    );
  }
};
