// The processes of a command that runs with a temporary instance. A variable in their environment marks them.
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from './process-identity.ts';

/** Environment variable with the name of the temporary instance, for the command and all its descendants. */
export const MARK = 'ACTORCTL_TEMPORARY';

/** Largest number of searches. Each finds the processes that others started during the search before. */
const SEARCHES = 20;

const environmentOf = (pid: string): string => {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
};

/** The processes with this mark. Needs /proc (Linux); empty without it. */
const marked = (name: string): readonly number[] => {
  let pids: readonly string[];
  try {
    pids = readdirSync('/proc').filter((each) => /^\d+$/.test(each) && each !== String(process.pid));
  } catch {
    return [];
  }
  return pids.filter((pid) => environmentOf(pid).includes(`\0${MARK}=${name}\0`)).map(Number);
};

/** Kills the processes with this mark, except this one. A process is missed only if it has cleared its environment. */
export const killMarked = (name: string): void => {
  for (let left = SEARCHES; left > 0; left -= 1) {
    const found = marked(name).filter(isAlive);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended meanwhile.
      }
    }
  }
};
