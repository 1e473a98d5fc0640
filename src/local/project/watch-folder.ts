// Watches a folder for changes of its files.
import { watch } from 'node:fs';
import { CliFailure, messageOf } from '../../failure.ts';

/** Milliseconds without a further change after which a change is reported. An editor writes a file in several steps. */
const SETTLE_MS = 200;

/** Folders whose changes are ignored, because tools write them. */
const isNoise = (name: string): boolean => /(?:^|\/)(?:\.git|node_modules|__pycache__)(?:\/|$)|~$|\.sw[px]$/.test(name);

/**
 * Calls back with the changed names after a change has settled, until the signal fires.
 * @param ignores true for names to ignore, relative to the folder
 * @throws CliFailure USAGE if the folder cannot be watched
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
    // The watched folder was removed, so there are no more changes.
    watcher.on('error', () => clearTimeout(timer));
  } catch (error) {
    throw new CliFailure('USAGE', `cannot watch ${folder}: ${messageOf(error)}`, { cause: error });
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
};
