// Notices that the files of a folder change.
import { watch } from 'node:fs';
import { CliFailure, messageOf } from '../../failure.ts';

/** An editor writes a file in several steps: what follows this soon is the same change. */
const SETTLE_MS = 200;

/** What is never the work of a person. */
const isNoise = (name: string): boolean => /(?:^|\/)(?:\.git|node_modules|__pycache__)(?:\/|$)|~$|\.sw[px]$/.test(name);

/**
 * Calls back once a change has settled, with the names of what changed, until the signal fires.
 * @param ignores names that are of no interest, relative to the folder
 * @throws CliFailure USAGE when the folder cannot be watched
 */
export const watchFolder = (
  folder: string,
  ignores: (name: string) => boolean,
  onChange: (names: readonly string[]) => void,
  signal: AbortSignal,
): void => {
  let names = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    const changed = [...names];
    names = new Set();
    if (!signal.aborted) onChange(changed);
  };
  try {
    const watcher = watch(folder, { recursive: true, signal }, (_event, name) => {
      const changed = String(name ?? '').replaceAll('\\', '/');
      if (changed === '' || isNoise(changed) || ignores(changed)) return;
      names.add(changed);
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLE_MS);
    });
    // A folder that goes away while it is watched changes nothing any more.
    watcher.on('error', () => clearTimeout(timer));
  } catch (error) {
    throw new CliFailure('USAGE', `${folder} cannot be watched: ${messageOf(error)}`, { cause: error });
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
};
