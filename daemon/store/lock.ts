// The lock of a data folder: one process owns it; a dead owner's lock is taken over by exactly one of those who find it.
import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { openNew, removeFile } from './durable-files.ts';
import { prepareFolder } from './private-folder.ts';
import { errnoOf, Locked, type LockHolder, StoreDamaged, writing } from './store-errors.ts';

export interface Lock {
  /** The dead owner whose lock was taken over. */
  readonly tookOverFrom?: LockHolder;
  /** Gives the folder free. Twice is once. */
  release(): Promise<void>;
}

interface Owner extends LockHolder {
  /** Random; tells this taking of the lock from every other. */
  readonly token: string;
  /** When the process started, in ticks since the boot: a process id alone is given again. Empty where it cannot be told. */
  readonly processStart: string;
  readonly bootId: string;
}

const NAME = 'lock';

const readOrNothing = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return ''; // no such process, or no /proc on this system
  }
};

/** The state and the start time of a process; empty where the system does not tell. */
const processFacts = async (pid: number): Promise<{ readonly state: string; readonly start: string }> => {
  const stat = await readOrNothing(`/proc/${pid}/stat`);
  // The name of the program stands in parentheses and may hold anything; the fields count behind its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
};

const currentBoot = async (): Promise<string> => (await readOrNothing('/proc/sys/kernel/random/boot_id')).trim();

const lives = async (owner: Owner): Promise<boolean> => {
  if (owner.bootId !== (await currentBoot())) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it is there, but somebody else's
    if (errnoOf(error) === 'ESRCH') return false;
  }
  const { state, start } = await processFacts(owner.pid);
  return state !== 'Z' && state !== 'X' && start === owner.processStart;
};

const isOwner = (value: unknown): value is Owner => {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = ['token', 'instance', 'processStart', 'bootId'];
  return (
    texts.every((name) => typeof fields.get(name) === 'string') &&
    ['pid', 'since'].every((name) => Number.isSafeInteger(fields.get(name))) &&
    /^[0-9a-f]{32}$/.test(String(fields.get('token')))
  );
};

/** `undefined` when there is no such file. @throws StoreDamaged */
const readOwner = async (file: string): Promise<Owner | undefined> => {
  try {
    const owner: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isOwner(owner)) return owner;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  // It was written and synced before it got its name, so no crash of ours leaves it like this.
  throw new StoreDamaged(file, undefined, 'it is not a lock (if no daemon runs on this folder, remove it)');
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Makes `file` ours. Creating is link(2) of a finished file, which fails when the name exists. A dead owner's file is replaced
 * by rename(2) while holding a second lock that is named after the dead owner's token: whoever holds that one is the only one
 * who may replace this one, and looks again before it does. If its holder dies too, the same is done one step further.
 * @throws Locked
 */
const take = async (folder: string, name: string, me: Owner): Promise<Owner | undefined> => {
  const file = path.join(folder, name);
  const mine = path.join(folder, `${NAME}.${me.token}.${randomBytes(8).toString('hex')}.new`);
  const handle = await openNew(mine);
  try {
    try {
      await handle.writeFile(JSON.stringify(me));
      await handle.sync();
    } finally {
      await handle.close();
    }
    for (let patience = 100; ; patience -= 1) {
      try {
        await link(mine, file);
        return undefined;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
      const found = await readOwner(file);
      if (found === undefined) continue;
      if (await lives(found)) throw new Locked(folder, found);
      const claim = `${NAME}.${found.token}`;
      try {
        await take(folder, claim, me);
      } catch (error) {
        if (!(error instanceof Locked) || patience === 0) throw error;
        await wait(20); // somebody else is just taking it over: soon the file says who
        continue;
      }
      try {
        if ((await readOwner(file))?.token !== found.token) continue;
        await rename(mine, file);
        return found;
      } finally {
        await removeFile(path.join(folder, claim));
      }
    }
  } finally {
    await removeFile(mine);
  }
};

/** Removes what owners left who died in the middle of taking the lock. */
const removeLeftovers = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${NAME}.`)) continue;
    const file = path.join(folder, name);
    try {
      const owner = await readOwner(file);
      if (owner !== undefined && !(await lives(owner))) await removeFile(file);
    } catch (error) {
      // A dead or a living process had not finished writing it; it is small, has no name that counts, and may stay.
      if (!(error instanceof StoreDamaged)) throw error;
    }
  }
};

/**
 * Takes the lock of a data folder, which is made if it is not there.
 * @throws Locked when a living process has it, naming that process
 * @throws FolderRefused, StoreUnwritable, StoreDamaged
 * @see auth.md R119
 */
export const acquireLock = async (
  folder: string,
  owner: { readonly instance: string; readonly now: number },
): Promise<Lock> => {
  await prepareFolder(folder);
  const me: Owner = {
    token: randomBytes(16).toString('hex'),
    pid: process.pid,
    instance: owner.instance,
    since: owner.now,
    processStart: (await processFacts(process.pid)).start,
    bootId: await currentBoot(),
  };
  const before = await writing(folder, () => take(folder, NAME, me));
  await removeLeftovers(folder);
  let held = true;
  return {
    ...(before === undefined
      ? {}
      : { tookOverFrom: { pid: before.pid, instance: before.instance, since: before.since } }),
    async release() {
      if (!held) return;
      held = false;
      const file = path.join(folder, NAME);
      if ((await readOwner(file))?.token === me.token) await removeFile(file);
    },
  };
};
