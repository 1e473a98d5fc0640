// The process for whose lifetime a temporary instance runs. A file in the state folder of the instance names it.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { writePrivate } from '../files.ts';
import { isLockOwner, newOwner, readLock } from '../lock/lock-content.ts';
import { isOfHere } from '../lock/lock-question.ts';
import { isInstanceName, type Paths } from '../paths.ts';
import { stillRuns } from '../process-identity.ts';

/**
 * Names this process as the starter. A daemon with the option `withStarter` ends with it, even if the process is
 * killed. Removing the file keeps the instance.
 */
export const nameStarter = ({ starterFile }: Pick<Paths, 'starterFile'>): Promise<void> =>
  writePrivate(starterFile, JSON.stringify(newOwner()));

/**
 * True if the starter has ended. False without a file, and for a process of another container, which cannot be looked
 * up. A process of an earlier boot has ended, or ran on another host; the lock of the data folder tells which.
 */
export const hasLostStarter = (starterFile: string): boolean => {
  const found = readLock(starterFile, { isOwner: isLockOwner });
  if (found.kind !== 'owned' || stillRuns(found.owner)) return false;
  const me = newOwner();
  return found.owner.bootId !== me.bootId || isOfHere(found.owner, me);
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).filter(isInstanceName);
  } catch {
    // No instance has a state folder yet, or another check reports the unreadable folder.
    return [];
  }
};

/** The temporary instances of this home whose starters have ended. */
export const instancesWithoutStarter = ({ stateDir, starterFile }: Pick<Paths, 'stateDir' | 'starterFile'>) => {
  const states = path.dirname(stateDir);
  return namesIn(states).filter((name) => hasLostStarter(path.join(states, name, path.basename(starterFile))));
};

export const endInstance = (name: string): string => `actorctl down -c local --instance ${name} --halt-executions`;

export interface LeftInstance {
  readonly text: string;
  /** The command that ends the instance. */
  readonly fix: string;
}

/** The temporary instances that were left behind with data. A daemon that noticed the end of its starter leaves none. */
export const leftInstances = (paths: Pick<Paths, 'stateDir' | 'starterFile' | 'dataDir'>): readonly LeftInstance[] =>
  instancesWithoutStarter(paths)
    .filter((name) => existsSync(path.join(path.dirname(paths.dataDir), name)))
    .map((name) => ({
      text: `the temporary instance ${name} is left over from a command that was killed`,
      fix: endInstance(name),
    }));
