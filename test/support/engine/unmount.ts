// Unmounts what an ended engine left mounted.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const mountsBelow = (folder: string): readonly string[] =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mount) => mount.startsWith(`${folder}/`));

/**
 * Unmounts everything below a folder, innermost first. A killed engine leaves its mounts behind, and its last processes
 * may unmount one at the same time.
 */
export const unmountBelow = (folder: string): void => {
  for (const mount of [...mountsBelow(folder)].reverse()) {
    try {
      execFileSync('umount', ['-l', mount], { stdio: 'pipe' });
    } catch (error) {
      if (mountsBelow(folder).includes(mount)) throw error;
    }
  }
};
