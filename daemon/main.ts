// The composition root of the daemon: creates its parts, starts and stops them, and handles signals.

import type { Launch } from '../src/local/daemon/launch.ts';
import { makeFolders } from '../src/local/folders/make-folders.ts';
import { killMarked } from '../src/local/marked-processes.ts';
import { VERSION } from '../src/local/version.ts';
import { announce, announceStart, launchOf, sweepLeftovers } from './app/announce.ts';
import { openDataFolder } from './app/data-folder.ts';
import { beginParts, createParts, type Parts } from './app/parts.ts';
import { reportCheck } from './app/report-check.ts';
import { startFailureOf } from './app/start-failure.ts';
import { stopParts } from './app/stop-parts.ts';
import { type DaemonConfig, resolveConfig } from './config.ts';
import { archiveHandlers } from './management/archive-handlers.ts';
import { daemonHandlers } from './management/daemon-handlers.ts';
import { imageHandlers } from './management/image-handlers.ts';
import { pruneHandlers } from './management/prune-handlers.ts';
import { serveManagement } from './management/server.ts';
import { shellHandlers } from './management/shell-handlers.ts';
import type { Logger } from './ports/logger.ts';
import type { StopOptions } from './ports/scheduler.ts';
import { createLogger } from './process/logging.ts';
import { onStopSignal } from './process/signals.ts';
import { startReporter } from './process/start-report.ts';
import { starterEnds } from './process/starter.ts';

const SWEEP_EVERY_MS = 5 * 60 * 1000;
/** Time (ms) that running executions have to finish after a signal. The next start recovers those still running. */
const SIGNAL_DEADLINE_MS = 10_000;

interface Daemon {
  readonly ready: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  /** Stops in order: deliveries, requests, mailboxes, running executions (up to the deadline), journal, lock. */
  stop(options: StopOptions): Promise<void>;
  /** Resolves when a stop is requested over the management socket. */
  readonly stopAsked: Promise<StopOptions>;
}

/** Functions that close opened parts, called in reverse order if the start fails. */
type Closers = (() => Promise<unknown>)[];

interface Milestones {
  readonly progress: (part: number) => void;
  /** True once the replacement of the data is final, whether or not the start succeeds. */
  readonly decided: () => void;
}

/** The handlers of the owner's operations. */
const ownerHandlers = (parts: Parts, launch: Launch) => {
  const { config, folder, logger, common, control, lifecycle, legacy, scheduler, services } = parts;
  const { containers, processes, builder, listener, reach } = parts;
  const { archives, ids, machine, secrets, store } = folder;
  const { memoryBytes, pids, diskBytes } = config.limits;
  const forArchives = archiveHandlers({ archives, dataDir: config.dataDir, logger });
  const handlers = {
    ...daemonHandlers({
      ...common,
      control,
      config,
      launch,
      version: VERSION,
      actorBaseUrl: listener.address,
      legacy,
      stop: lifecycle.askStop,
      isStopping: lifecycle.isStopping,
      loginLink: services.loginLink,
      issue: services.issue,
      rotateKey: secrets.rotateKey,
      reach,
    }),
    ...imageHandlers({
      builder,
      executors: [containers, processes],
      ids,
      store,
      limits: { memoryBytes, pids, diskBytes },
      logger,
    }),
    ...shellHandlers({ shells: scheduler.shells, isStopping: lifecycle.isStopping, logger }),
    ...forArchives.handlers,
    ...pruneHandlers({ ...common, pruning: scheduler.pruning, builder, machine }),
  };
  return { handlers, closeArchives: forArchives.close };
};

const start = async (config: DaemonConfig, closers: Closers, { progress, decided }: Milestones): Promise<Daemon> => {
  const { instance, dataDir, paths } = config;
  await makeFolders(paths.stateDir);
  const logger = createLogger({
    level: config.logLevel,
    ...(config.logToStderr ? {} : { file: paths.daemonLog }),
  });
  process.once('exit', logger.flush);
  const started = await announceStart(paths.startingLock);
  closers.push(started);
  const folder = await openDataFolder(config, logger, closers, progress, decided);
  await sweepLeftovers(config, logger);
  const parts = createParts(config, folder, logger);
  const { address, lifecycle, main, services } = parts;
  await beginParts(parts, closers);

  const launch = launchOf(config, address.port());
  const { handlers, closeArchives } = ownerHandlers(parts, launch);
  const management = await serveManagement(paths.socket, main.ownerListener(handlers));
  closers.push(() => management.close());
  const sweep = setInterval(() => void services.sweep(), SWEEP_EVERY_MS).unref();

  const [baseUrl, startedAt] = [address.baseUrl(), folder.machine.now()];
  const described = { pid: process.pid, version: VERSION, instance, baseUrl, authUrl: baseUrl };
  if (!config.haltOnly) await announce(paths, { ...described, socket: paths.socket, startedAt }, launch);
  await started();
  const stale = folder.lock.tookOverFrom;
  if (stale) logger.warn({ ...stale }, 'the previous daemon did not stop in order; its lock was taken over');
  logger.info({ ...described, dataDir, instanceId: folder.instanceId }, 'up');

  return {
    logger,
    stopAsked: lifecycle.stopAsked,
    ready: {
      ...described,
      dataDir,
      schemaVersion: folder.store.status().schemaVersion,
      ...(folder.replaced && { replaced: folder.replaced }),
      ...(stale && { stale: `took over from process ${stale.pid}, which ended without stopping in order` }),
    },
    stop(options) {
      clearInterval(sweep);
      return stopParts(parts, management, closeArchives, options);
    },
  };
};

/** Stops a daemon that only halts the executions left by an earlier daemon. */
const HALT_ALL: StopOptions = { deadlineMs: 0, haltExecutions: true, keepData: true };

/**
 * Resolves with the stop of a daemon whose starter has ended: the data go with it. Never resolves for other daemons.
 */
const starterEnded = async (
  { start: { withStarter }, paths, temporaryHome }: DaemonConfig,
  logger: Logger,
): Promise<StopOptions> => {
  if (!withStarter) return new Promise(() => undefined);
  await starterEnds(paths.starterFile, temporaryHome !== undefined);
  logger.warn({}, 'the process that started this temporary instance has ended');
  if (temporaryHome !== undefined) killMarked(temporaryHome);
  return { deadlineMs: SIGNAL_DEADLINE_MS, haltExecutions: true, keepData: false };
};

const EXIT_CODES: Readonly<Record<string, number>> = { PORT_IN_USE: 7, OTHER_CLOCK: 7, CONFIG: 2 };

export const runDaemon = async (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> => {
  process.umask(0o077);
  const fdText = argv[argv.indexOf('--ready-fd') + 1];
  const report = startReporter(argv.includes('--ready-fd') ? Number(fdText) : undefined);
  const closers: Closers = [];
  let dataReplaced = false;
  const decided = (): void => {
    dataReplaced = true;
  };
  const signalled = new Promise<StopOptions>((resolve) => {
    onStopSignal(() => resolve({ deadlineMs: SIGNAL_DEADLINE_MS, haltExecutions: false, keepData: false }));
  });
  try {
    const config = resolveConfig(argv, env);
    if (config.checkData) return await reportCheck(config);
    const daemon = await start(config, closers, { progress: report.progress, decided });
    process.on('uncaughtException', (error) => {
      daemon.logger.error({ error }, 'internal fault; the daemon ends, and the next start recovers');
      process.exit(70);
    });
    report.end({ ready: true, ...daemon.ready });
    const stops = [signalled, daemon.stopAsked, starterEnded(config, daemon.logger)];
    const stop = config.haltOnly ? HALT_ALL : await Promise.race(stops);
    await daemon.stop(stop);
    process.exit(0);
  } catch (error) {
    const failure = startFailureOf(error);
    for (const close of closers.reverse())
      await close().catch((left: unknown) => process.stderr.write(`${String(left)}\n`));
    report.end({ ready: false, error: { ...failure, dataReplaced } });
    process.stderr.write(`actorctld: ${failure.message}\n`);
    process.exit(EXIT_CODES[failure.code] ?? 9);
  }
};
