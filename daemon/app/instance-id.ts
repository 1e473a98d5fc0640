// The identity of a data folder: the random id that labels the containers and networks of its daemon, and a flag that
// says whether any can exist.
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { removeTree } from '../../src/local/folders/remove-tree.ts';
import { type FolderIdentity, isCopy } from '../domain/instance-folder.ts';
import type { VirtualTime } from '../domain/records/account-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { EngineUse } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';

const identityOf = (folder: string): FolderIdentity => {
  const realPath = realpathSync(folder);
  const { dev, ino } = statSync(realPath, { bigint: true });
  return { path: realPath, node: `${dev}:${ino}` };
};

/**
 * The working folders of `file:` actors in a data folder. A runner kills leftover processes of the runs that it finds
 * there.
 */
export const runsFolderOf = (dataDir: string): string => path.join(dataDir, 'runs');

/**
 * Returns the id of the data folder and creates it on the first start. A copy gets a new id, because two daemons with
 * one id would remove each other's containers. The running executions of a copy belong to the original, so the copy
 * forgets where they run and deletes their working folders.
 * @see docs/operations.md#instances
 */
export const instanceIdOf = async (
  dataDir: string,
  deps: {
    readonly store: Store;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly logger: Logger;
    /** The virtual clock of the instance, stored on the first start. */
    readonly time?: VirtualTime;
  },
): Promise<string> => {
  const { store, ids, clock, logger, time } = deps;
  const folder = identityOf(dataDir);
  const stored = store.get('meta', 'instance');
  const copied = stored?.folder && isCopy(stored.folder, folder, existsSync(stored.folder.path));
  // Done before the new id is stored: after a crash in between, the folder is still recognized as a copy.
  if (copied)
    await removeTree(runsFolderOf(dataDir)).catch((error: unknown) =>
      logger.warn({ error }, 'cannot remove the run folders of the copied instance'),
    );
  const instanceId = await store.transact((tx) => {
    if (stored === undefined || copied) {
      const meta = {
        key: 'instance' as const,
        instanceId: ids.id(),
        epoch: ids.id(),
        createdAt: clock.now(),
        folder,
        engineUsed: false,
        ...(time && { clock: time }),
      };
      tx.put('meta', meta);
      for (const { runRef: _, ...execution } of copied ? [...store.by('executions', 'running', 'yes')] : [])
        tx.put('executions', execution);
      return meta.instanceId;
    }
    if (stored.folder?.path !== folder.path || stored.folder.node !== folder.node)
      tx.put('meta', { ...stored, folder });
    return stored.instanceId;
  });
  if (copied) {
    const facts = { copyOf: stored.folder?.path, instanceId, previous: stored.instanceId };
    logger.warn(facts, 'the data folder is a copy; giving it a new instance id');
  }
  return instanceId;
};

/**
 * Records in a data folder whether a container engine can have objects of it, so that a start need not contact an
 * engine without reason.
 */
export const engineUseOf = (store: Store): EngineUse => {
  const happened = (): boolean => store.get('meta', 'instance')?.engineUsed !== false;
  return {
    happened,
    record: async () => {
      if (happened()) return;
      await store.transact((tx) => {
        const meta = tx.get('meta', 'instance');
        if (meta !== undefined) tx.put('meta', { ...meta, engineUsed: true });
      });
    },
  };
};
