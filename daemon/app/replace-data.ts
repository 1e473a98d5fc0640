// Replaces the data of an instance before its daemon opens the data: with an archive, or with the subset that a reset
// retains.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ArchiveRefused, KEY_FILE } from '../../src/local/archive/archive-manifest.ts';
import { safetyName, snapshotFile, snapshotsFolder } from '../../src/local/archive/snapshots.ts';
import { replaceFile } from '../../src/local/atomic-file.ts';
import { VERSION } from '../../src/local/version.ts';
import type { DaemonConfig } from '../config.ts';
import { belongings, keptCollections } from '../domain/data/replacement.ts';
import type { FolderIdentity } from '../domain/instance-folder.ts';
import type { MetaRecord } from '../domain/records/account-records.ts';
import type { CollectionName } from '../domain/records/collections.ts';
import { slicesOf } from '../domain/records/slices.ts';
import type { Logger } from '../ports/logger.ts';
import { createArchives } from '../store/archive/data-archive.ts';
import { beginExchange, cancelExchange, commitExchange } from '../store/archive/exchange.ts';
import { unpackArchive } from '../store/archive/unpack-archive.ts';
import { openBodies } from '../store/bodies.ts';
import { openLogs } from '../store/logs/logs.ts';
import { collectionNames } from '../store/record-table.ts';
import { openStore, type StoredData } from '../store/store.ts';
import { StoreDamaged, StoreTooNew, writing } from '../store/store-errors.ts';
import { createClock } from '../vault/clock.ts';
import { createIds } from '../vault/ids.ts';
import { keysText, newKey, readKeys } from '../vault/key-file.ts';

/** The reason why the data are not replaced. Nothing was changed. */
export class ReplacementRefused extends Error {
  readonly code: 'NOT_EMPTY' | 'RUNNING' | 'ARCHIVE';

  constructor(code: ReplacementRefused['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReplacementRefused';
    this.code = code;
  }
}

export interface Replaced {
  /** Name of the snapshot of the old data. Absent if there were no old data. */
  readonly snapshot?: string;
  /** Folder with the damaged old data. Absent if the old data were not damaged. */
  readonly kept?: string;
  readonly records: number;
}

type Replacement = NonNullable<DaemonConfig['replacement']>;

const words = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${count} ${name}`).join(', ');

const checkOld = (replacement: Replacement, old: StoredData, counts: ReadonlyMap<string, number>): void => {
  const running = old.countBy('executions', 'running', 'yes');
  if (running > 0) {
    const what = `${running} executions of the old data still run, and would be lost`;
    throw new ReplacementRefused('RUNNING', `${what}. Halt them first: actorctl down --halt-executions`);
  }
  if (replacement.kind === 'import' && !replacement.replace && counts.size > 0) {
    throw new ReplacementRefused('NOT_EMPTY', `The instance is not empty: it has ${words(counts)}`);
  }
};

/**
 * Placeholder folder identity in an archive. No real folder matches it, so unpacked data count as a copy wherever they
 * are.
 */
const NO_FOLDER: FolderIdentity = { path: '', node: '' };

/**
 * Binds the new data to the folder: the folder's instance id stays, because it labels the folder's containers and
 * networks. A folder without an id gets a new one when its daemon starts, because the archived instance may still exist
 * elsewhere. The epoch is new, because event ids are used again. Data from an archive keep the archive's clock, because their times refer to that clock.
 */
const adopt = async (next: StoredData, meta: MetaRecord | undefined, isImport: boolean): Promise<void> => {
  const imported = next.get('meta', 'instance');
  if (meta === undefined) {
    if (imported !== undefined) await next.transact((tx) => tx.put('meta', { ...imported, folder: NO_FOLDER }));
    return;
  }
  const { clock: own, ...identity } = { ...meta, epoch: createIds().id() };
  const clock = isImport ? imported?.clock : own;
  await next.transact((tx) => {
    tx.put('meta', { ...identity, ...(clock && { clock }) });
    if (imported === undefined || imported.instanceId === meta.instanceId) return;
    // Executions that ran in another instance still belong to that instance.
    for (const { runRef: _, ...execution } of tx.by('executions', 'running', 'yes')) tx.put('executions', execution);
  });
};

const copy = async (from: StoredData, into: StoredData, name: CollectionName): Promise<void> => {
  for (const slice of slicesOf(from.all(name))) {
    await into.transact((tx) => {
      for (const record of slice) tx.put(name, record);
    });
  }
};

/**
 * Adds the keys of an archive after the keys of the instance. The next step re-encrypts the configs with the instance's
 * own key.
 */
const addKeys = async (archived: string, keyFile: string): Promise<void> => {
  const found = await readKeys(archived);
  if (found === 'none') return;
  if ('refused' in found) throw new ArchiveRefused('its key file is damaged');
  const present = await readKeys(keyFile);
  if (present !== 'none' && 'refused' in present) throw new Error(present.refused);
  // A new instance gets its own key, because anyone with the archive has the archive's keys.
  const own = present === 'none' ? [newKey()] : present.keys;
  const added = found.keys.filter(({ id }) => !own.some((key) => key.id === id));
  if (added.length > 0) await replaceFile(keyFile, (append) => append(keysText([...own, ...added])));
};

/**
 * Replaces the data of a folder. The old data stay untouched until the new data are prepared and checked, and are saved
 * in a snapshot first. Damaged old data are moved aside instead. The caller holds the lock of the folder.
 * @param onProgress called with the completed fraction of unpacking and saving, from 0 to 1
 * @param onDecided called once the replacement is final, even if a later step fails
 * @throws ReplacementRefused, StoreUnwritable, StoreDamaged
 * @see docs/adr/0021-backup-archives-hold-one-instant.md
 */
export const replaceData = async (
  { dataDir, instance, configKeyFile, replacement }: DaemonConfig & { readonly replacement: Replacement },
  logger: Logger,
  onProgress: (part: number) => void,
  onDecided: () => void = () => undefined,
): Promise<Replaced> => {
  const clock = createClock({ floor: 0 });
  /**
   * Latest time in the old and the new data. The changes that the replacement makes are stamped with it, because the
   * clock to which the data belong may be behind the machine's clock.
   */
  let lastTime = 0;
  const openAt = async (folder: string): Promise<StoredData> => {
    let isOpen = false;
    // Opening the store may run a migration, which names its backup by the time, so it uses the machine's clock.
    const store = await openStore({ folder, clock: { now: () => (isOpen ? lastTime : clock.now()) }, logger });
    isOpen = true;
    lastTime = Math.max(lastTime, store.lastTime);
    return store;
  };

  const openOld = async (): Promise<StoredData | undefined> => {
    try {
      return await openAt(dataDir);
    } catch (error) {
      const isUseless = error instanceof StoreDamaged || error instanceof StoreTooNew;
      if (!isUseless || replacement.kind !== 'import' || !replacement.replace) throw error;
      logger.warn({ err: error }, 'cannot read the old data; moving them aside');
      return undefined;
    }
  };

  const saveOld = async (old: StoredData, onSaved: (part: number) => void): Promise<string> => {
    const name = safetyName(replacement.kind === 'import' ? 'restore' : 'reset', clock.now());
    const [bodies, logs] = [await openBodies({ folder: dataDir }), await openLogs({ folder: dataDir, clock, logger })];
    const archives = createArchives({
      store: old,
      bodies,
      logs,
      keyFile: configKeyFile,
      instance,
      version: VERSION,
      clock,
    });
    await mkdir(snapshotsFolder(dataDir), { recursive: true, mode: 0o700 });
    const signal = new AbortController().signal;
    await archives.write(snapshotFile(dataDir, name), { withKeys: false, onProgress: onSaved, signal });
    return name;
  };

  /** Fills the folder of the prepared data. Returns the number of records. */
  const prepare = async (
    next: string,
    old: StoredData | undefined,
    onUnpacked: (part: number) => void,
  ): Promise<number> => {
    const manifest = replacement.kind === 'import' && (await unpackArchive(replacement.file, next, onUnpacked));
    if (manifest) lastTime = 0;
    const store = await openAt(next).catch((error: unknown) => {
      // The archive's checksums match, so its records were already damaged when it was made.
      if (error instanceof StoreDamaged) throw new ArchiveRefused('its records are damaged', { cause: error });
      throw error;
    });
    try {
      await adopt(store, old?.get('meta', 'instance'), replacement.kind === 'import');
      if (replacement.kind === 'reset' && old !== undefined)
        for (const name of keptCollections(replacement.keep)) await copy(old, store, name);
      if (manifest) await addKeys(path.join(next, KEY_FILE), configKeyFile);
      return collectionNames.reduce((sum, name) => sum + store.count(name), 0);
    } finally {
      await store.close();
    }
  };

  const old = await openOld();
  let isOpen = old !== undefined;
  try {
    const counts = old === undefined ? new Map<string, number>() : belongings(old, collectionNames);
    if (old !== undefined) checkOld(replacement, old, counts);
    const saved = counts.size > 0 ? old : undefined;
    // Both phases take long. Progress is reported in both, because the waiting command gives up on a silent start.
    const onUnpacked = (part: number): void => onProgress(saved === undefined ? part : part / 2);
    const onSaved = (part: number): void => onProgress(replacement.kind === 'reset' ? part : (1 + part) / 2);
    const records = await writing(dataDir, async () => prepare(await beginExchange(dataDir), old, onUnpacked));
    const snapshot = saved && (await saveOld(saved, onSaved));
    isOpen = false;
    await old?.close();
    const kept = old === undefined ? `damaged-${new Date(clock.now()).toISOString().replace(/[-:.]/g, '')}` : undefined;
    await commitExchange(dataDir, { ...(kept !== undefined && { keep: kept }), onDecided });
    logger.warn({ replacement, snapshot, kept, records }, 'the data were replaced');
    return {
      records,
      ...(snapshot !== undefined && { snapshot }),
      ...(kept !== undefined && { kept: path.join(dataDir, kept) }),
    };
  } catch (error) {
    await cancelExchange(dataDir);
    if (error instanceof ArchiveRefused && replacement.kind === 'import')
      throw new ReplacementRefused('ARCHIVE', `cannot use ${replacement.file}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    if (isOpen) await old?.close();
  }
};
