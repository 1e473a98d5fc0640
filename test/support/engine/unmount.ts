// Unmounts what an ended engine left mounted.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Unmounts everything below a folder, innermost first. A killed engine leaves its mounts behind. */
export const unmountBelow = (folder: string): void => {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mount) => mount.startsWith(`${folder}/`))
    .reverse();
  for (const mount of mounts) execFileSync('umount', ['-l', mount]);
};
