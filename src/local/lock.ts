// A lock between processes: a file made exclusively, given up when its owner is gone.
import { readFileSync } from 'node:fs';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, systemCode } from '../failure.ts';
import { randomName } from './credentials/crypto.ts';
import { ownFolder } from './files.ts';

/** Who holds a lock. */
interface Owner {
  readonly pid: number;
  readonly token: string;
}

const ownerOf = (text: string): Owner | undefined => {
  const [pid, token] = text.trim().split(' ');
  return pid && token && /^\d+$/.test(pid) ? { pid: Number(pid), token } : undefined;
};

/** Whether the process has ended and only waits for its parent to notice, which in a container nobody may ever do. */
const isZombie = (pid: number): boolean => {
  try {
    // The state follows the name, which stands in brackets and may hold anything.
    return /^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // No /proc on this system, or gone meanwhile: the signal has told all there is.
    return false;
  }
};

/** Whether a process of that number runs; one that we may not signal does. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
};

const readOwner = async (file: string): Promise<Owner | undefined> => {
  try {
    return ownerOf(await readFile(file, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const remove = async (file: string): Promise<void> => {
  try {
    await unlink(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
};

/** Takes the lock if it is free: a link to a file that is already whole, so nobody ever reads half of it. */
const take = async (file: string, token: string): Promise<boolean> => {
  const mine = `${file}.${token}`;
  await writeFile(mine, `${process.pid} ${token}\n`, { flag: 'wx', mode: 0o600 });
  try {
    await link(mine, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await remove(mine);
  }
};

/** Removes a lock whose owner is gone. Whoever removes holds a second lock, or it might remove the one of a newer owner. */
const breakStale = async (file: string, token: string): Promise<void> => {
  const breaker = `${file}.break`;
  if (!(await take(breaker, token))) {
    const other = await readOwner(breaker);
    if (other && !isAlive(other.pid)) await remove(breaker);
    return;
  }
  try {
    const owner = await readOwner(file);
    if (owner && !isAlive(owner.pid)) await remove(file);
  } finally {
    await remove(breaker);
  }
};

export interface LockOptions {
  /** Longest wait in milliseconds. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while no other process runs its own under the same file. A lock left by a dead process is broken.
 * @throws CliFailure INTERNAL when it stays taken; CANCELLED when `signal` fires
 */
export const withLock = async <T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> => {
  const { patienceMs = 60_000, signal } = options;
  await ownFolder(path.dirname(file));
  const token = randomName();
  const deadline = performance.now() + patienceMs;
  while (!(await take(file, token))) {
    if (signal?.aborted) throw new CliFailure('CANCELLED', 'interrupted');
    const owner = await readOwner(file);
    if (owner && !isAlive(owner.pid)) {
      await breakStale(file, token);
      continue;
    }
    if (performance.now() > deadline) {
      const holder = owner ? ` by process ${owner.pid}` : '';
      throw new CliFailure('INTERNAL', `${file} stays locked${holder}`, {
        hint: `end that process, or remove the file if it hangs`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 15 + Math.random() * 20));
  }
  try {
    return await work();
  } finally {
    await remove(file);
  }
};
