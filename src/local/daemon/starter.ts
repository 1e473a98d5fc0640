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

/** Keeps a temporary instance whose starter ends. It runs until it is ended by hand. */
export const keepInstance = ({ starterFile }: Pick<Paths, 'starterFile'>): Promise<void> =>
  writePrivate(starterFile, JSON.stringify({ kept: true }));

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

/** A temporary home that was left behind. */
export interface LeftHome {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
}

/** True if the data folder belongs to a running daemon. */
const isServed = (dataDir: string): boolean => {
  const found = readLock(path.join(dataDir, 'lock'), { isOwner: isLockOwner });
  return found.kind === 'owned' && stillRuns(found.owner);
};

/**
 * The temporary homes whose starters have ended, and those that were kept and whose daemons have ended. A home without
 * a file that names its starter is being made.
 */
export const leftHomes = ({ temporaryDir, starterFile }: Pick<Paths, 'temporaryDir' | 'starterFile'>) =>
  namesIn(temporaryDir).flatMap((name): readonly LeftHome[] => {
    const folder = path.join(temporaryDir, name);
    const file = path.join(folder, 'state', name, path.basename(starterFile));
    const isKept = readLock(file, { isOwner: isLockOwner }).kind === 'foreign';
    const isLeft = isKept ? !isServed(path.join(folder, 'data', name)) : hasLostStarter(file);
    return isLeft ? [{ name, folder }] : [];
  });

export interface LeftInstance {
  readonly text: string;
  /** The command that ends the instance. */
  readonly fix: string;
}

/** The temporary instances that were left behind with data. A daemon that noticed the end of its starter leaves none. */
export const leftInstances = (
  paths: Pick<Paths, 'stateDir' | 'starterFile' | 'dataDir' | 'temporaryDir'>,
): readonly LeftInstance[] => {
  const text = (name: string): string => `the temporary instance ${name} is left over from a command that was killed`;
  const ownNames = instancesWithoutStarter(paths).filter((name) =>
    existsSync(path.join(path.dirname(paths.dataDir), name)),
  );
  return [
    ...ownNames.map((name) => ({ text: text(name), fix: endInstance(name) })),
    ...leftHomes(paths).map(({ name }) => ({ text: text(name), fix: 'actorctl prune' })),
  ];
};
