// Records which executions continue after the daemon has stopped, for the command line.
import { removeFile, replaceFile } from '../../src/local/atomic-file.ts';
import { type LeftBehind, readLeftBehind } from '../../src/local/daemon/left-behind.ts';
import type { DaemonConfig } from '../config.ts';
import { isFolderImage } from '../domain/actors/image-reference.ts';
import type { Store } from '../ports/store.ts';

/** The executions whose records say that they are running. Call it after the scheduler has stopped. */
export const stillRunning = (store: Store): LeftBehind['executions'] =>
  [...store.by('executions', 'running', 'yes')].map(({ id, actorId, workerId, runRef }) => {
    const actor = store.get('actors', actorId);
    const image = store.get('workers', workerId ?? '')?.image ?? actor?.image ?? '';
    return {
      execution_id: id,
      actor_id: actorId,
      actor: actor?.name || actorId,
      runs_in: isFolderImage(image) ? ('process' as const) : ('container' as const),
      ref: runRef ?? '',
    };
  });

/** Removes the list of running executions that an earlier stop of this data folder's daemon wrote. */
export const forgetLeftBehind = async (file: string, dataDir: string): Promise<void> => {
  if ((await readLeftBehind(file))?.data_dir === dataDir) await removeFile(file);
};

/** Writes the list of running executions, or removes the file if no execution continues. */
export const recordLeftBehind = async (
  { paths, dataDir, dockerHost, env }: Pick<DaemonConfig, 'paths' | 'dataDir' | 'dockerHost' | 'env'>,
  executions: LeftBehind['executions'],
): Promise<void> => {
  if (executions.length === 0) return forgetLeftBehind(paths.leftFile, dataDir);
  const left: LeftBehind = {
    data_dir: dataDir,
    docker_host: dockerHost || env['DOCKER_HOST'] || undefined,
    executions,
  };
  await replaceFile(paths.leftFile, (append) => append(`${JSON.stringify(left)}\n`));
};
