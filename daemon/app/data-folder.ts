// Opens the parts of a data folder in order: lock, clock, store, bodies, logs, secrets and instance id.
import { realpath } from 'node:fs/promises';
import { sweepSnapshots } from '../../src/local/archive/snapshots.ts';
import { replaceFile } from '../../src/local/atomic-file.ts';
import { VERSION } from '../../src/local/version.ts';
import { configsOf } from '../actors/configs/injection.ts';
import { keyRotation } from '../actors/configs/rotation.ts';
import type { DaemonConfig } from '../config.ts';
import { emittingStore } from '../domain/events/emitting-store.ts';
import { scheduleNow } from '../domain/schedule/machine-time.ts';
import { clockOfInstance } from '../domain/schedule/virtual-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Configs } from '../ports/configs.ts';
import type { Logger } from '../ports/logger.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import { createArchives } from '../store/archive/data-archive.ts';
import { finishExchange } from '../store/archive/exchange.ts';
import { openBodies } from '../store/bodies.ts';
import { acquireLock } from '../store/lock.ts';
import { openLogs } from '../store/logs/logs.ts';
import { openStore } from '../store/store.ts';
import { createClock, createVirtualClock } from '../vault/clock.ts';
import { createIds } from '../vault/ids.ts';
import { openSeal } from '../vault/seal.ts';
import { createVault } from '../vault/vault.ts';
import { engineUseOf, instanceIdOf } from './instance-id.ts';
import { type Replaced, replaceData } from './replace-data.ts';

interface ConfigSecrets {
  readonly seal: Seal;
  readonly configs: Configs;
  /** Encrypts every secret config with a new key. Resolves with the number of configs. */
  readonly rotateKey: () => Promise<number>;
}

/**
 * Completes an interrupted key rotation. If the key is missing, it does not reject; the secret configs are then locked.
 */
const openConfigSecrets = async ({
  file,
  store,
  logger,
}: {
  readonly file: string;
  readonly store: Store;
  readonly logger: Logger;
}): Promise<ConfigSecrets> => {
  const inUse = [...store.all('configs')].some(({ isSecret }) => isSecret);
  const seal = await openSeal({ file, inUse, replace: (path, text) => replaceFile(path, (append) => append(text)) });
  if (seal.locked !== undefined) logger.warn({ reason: seal.locked }, 'secret configs are locked');
  const rotation = keyRotation({ store, seal, logger });
  await rotation.resume().catch((error: unknown) => logger.warn({ error }, 'cannot finish a change of keys'));
  return {
    seal,
    configs: configsOf({ store, seal }),
    rotateKey: rotation.rotate,
  };
};

/**
 * Opens the data folder of an instance for this process alone.
 * @param closers receives the function that closes each part as soon as the part is open, so that a failed start leaves
 * nothing open
 * @param onProgress called with the completed fraction of an import, from 0 to 1
 * @param onDecided called at the moment from which an import or a reset takes effect, even if the process is killed
 */
export const openDataFolder = async (
  config: DaemonConfig,
  logger: Logger,
  closers: { push(close: () => Promise<unknown>): void },
  onProgress: (part: number) => void,
  onDecided: () => void = () => undefined,
) => {
  const { dataDir, instance, paths, configKeyFile, clock: wish, replacement } = config;
  const machine = createClock({ floor: 0 });
  const onLost = (): never => {
    logger.error({ dataDir }, 'the lock of the data folder was taken over or removed; the daemon exits');
    process.exit(70);
  };
  const lock = await acquireLock(dataDir, {
    instance,
    stateDir: await realpath(paths.stateDir),
    now: machine.now(),
    onLost,
  });
  closers.push(() => lock.release());
  await finishExchange(dataDir);
  await sweepSnapshots(dataDir).catch((error: unknown) => logger.warn({ err: error }, 'cannot clean up the snapshots'));
  let replaced: Replaced | undefined;
  if (replacement !== undefined)
    replaced = await replaceData({ ...config, replacement }, logger, onProgress, onDecided);
  // The store needs a clock before its latest stored time is known. After loading, the clock never runs behind that
  // time.
  let current: Clock = machine;
  const clock: Clock = { now: () => current.now(), due: () => scheduleNow(current) };
  const ids = createIds();
  const store = emittingStore(await openStore({ folder: dataDir, clock, logger, lock }), { ids, clock });
  closers.push(() => store.close());
  const { lastTime } = store;
  const stored = store.get('meta', 'instance') ?? (lastTime > 0 ? {} : undefined);
  const time = clockOfInstance(stored, wish, machine.now());
  const virtual = time && createVirtualClock(time, { floor: lastTime });
  current = virtual ?? createClock({ floor: lastTime });
  const instanceId = await instanceIdOf(dataDir, { store, ids, clock, logger, ...(time && { time }) });
  const vault = createVault();
  const bodies = await openBodies({ folder: dataDir });
  const logs = await openLogs({ folder: dataDir, clock, logger });
  const secrets = await openConfigSecrets({ file: configKeyFile, store, logger });
  const archives = createArchives({
    store,
    bodies,
    logs,
    keyFile: configKeyFile,
    instance,
    version: VERSION,
    clock: machine,
  });
  const engineUse = engineUseOf(store);
  const times = { clock, machine, ...(virtual && { virtual }) };
  return { lock, ...times, ids, store, vault, bodies, logs, archives, secrets, instanceId, engineUse, replaced };
};
