// Watches a folder for changes of its files.
import path from 'node:path';
import { CliFailure, messageOf } from '../../failure.ts';

/** Milliseconds without a further change after which a change is reported. An editor writes a file in several steps. */
const SETTLE_MS = 200;

/** Folders whose changes are ignored, because tools write them. */
const isNoise = (name: string): boolean => /(?:^|\/)(?:\.git|node_modules|__pycache__)(?:\/|$)|~$|\.sw[px]$/.test(name);

/**
 * Calls back with the changed names after a change has settled, until the signal fires. Resolves once every later
 * change will be noticed. A file replaced by another with the same name is still watched, unlike with `fs.watch`.
 * @param ignores true for names to ignore, relative to the folder
 */
export const watchFolder = async (
  folder: string,
  ignores: (name: string) => boolean,
  onChange: (names: readonly string[]) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { watch } = await import('chokidar');
  const nameOf = (file: string): string => path.relative(folder, file).replaceAll(path.sep, '/');
  const isIgnored = (file: string): boolean => {
    const name = nameOf(file);
    return name !== '' && (isNoise(name) || ignores(name));
  };
  let names = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    const changed = [...names];
    names = new Set();
    onChange(changed);
  };
  const watcher = watch(folder, { ignoreInitial: true, ignored: isIgnored });
  const stop = (): void => {
    clearTimeout(timer);
    void watcher.close();
  };
  if (signal.aborted) return stop();
  signal.addEventListener('abort', stop, { once: true });
  watcher.on('all', (_event, file) => {
    // The folder itself was removed.
    if (nameOf(file) === '') return;
    names.add(nameOf(file));
    clearTimeout(timer);
    timer = setTimeout(settle, SETTLE_MS);
  });
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    // After the watcher is ready, errors are ignored: the remaining files can still be watched.
    watcher.on('error', (error) =>
      reject(new CliFailure('USAGE', `cannot watch ${folder}: ${messageOf(error)}`, { cause: error })),
    );
  });
};
