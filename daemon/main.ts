// The composition root of the daemon: creates and connects all parts, starts and stops them in order, and handles
// signals. Over 250 lines, because it is one list of parts.

import { rm } from 'node:fs/promises';
import { setTimeout as elapse } from 'node:timers/promises';
import { isLoopback } from '../src/local/daemon/resolve-start.ts';
import { makeFolders } from '../src/local/folders/make-folders.ts';
import { removeTree } from '../src/local/folders/remove-tree.ts';
import { VERSION } from '../src/local/version.ts';
import { createResults } from './actors/results/service.ts';
import { aboutDaemon, DASHBOARD } from './app/about.ts';
import { announce, announceStart, launchOf, sweepLeftovers } from './app/announce.ts';
import { backupOnExit } from './app/backup-on-exit.ts';
import { openDataFolder } from './app/data-folder.ts';
import { executionSettings } from './app/execution-settings.ts';
import { createExecutors } from './app/executors.ts';
import { recordLeftBehind, stillRunning } from './app/left-behind.ts';
import { legacyListeners } from './app/legacy-listener.ts';
import { listen, urlHost } from './app/listen.ts';
import { reportCheck } from './app/report-check.ts';
import { createServices } from './app/services.ts';
import { startFailureOf } from './app/start-failure.ts';
import { type DaemonConfig, resolveConfig } from './config.ts';
import { createPoster } from './delivery/webhook-poster.ts';
import { loopbackHosts } from './http/request-gate.ts';
import { archiveHandlers } from './management/archive-handlers.ts';
import { clockHandlers } from './management/clock-handlers.ts';
import { daemonHandlers, type StopOptions } from './management/daemon-handlers.ts';
import { imageHandlers } from './management/image-handlers.ts';
import { pruneHandlers } from './management/prune-handlers.ts';
import { serveManagement } from './management/server.ts';
import type { Logger } from './ports/logger.ts';
import { createLogger } from './process/logging.ts';
import { onStopSignal } from './process/signals.ts';
import { startReporter } from './process/start-report.ts';
import { createClockControl } from './scheduler/cron/clock-control.ts';
import { createScheduler } from './scheduler/scheduler.ts';
import { createDispatcher } from './scheduler/webhook-dispatcher.ts';

const SWEEP_EVERY_MS = 5 * 60 * 1000;
/** Time (ms) that running executions have to finish after a signal; the next start recovers those still running. */
const SIGNAL_DEADLINE_MS = 10_000;
/** Time (ms) that open requests have to finish after a stop has begun. */
const DRAIN_MS = 5_000;

interface Daemon {
  readonly ready: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  /** Stops in order: deliveries, requests, mailboxes, running executions (up to the deadline), journal, lock. */
  stop(options: StopOptions): Promise<void>;
  /** Resolves when a stop is requested over the management socket. */
  readonly stopAsked: Promise<StopOptions>;
}

/** Functions that close opened parts; called in reverse order when the start fails. */
type Closers = (() => Promise<unknown>)[];

interface Milestones {
  readonly progress: (part: number) => void;
  /** The new data will be the data, whether the start succeeds or not. */
  readonly decided: () => void;
}

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
  const { lock, clock, machine, virtual, ids, store, vault, bodies, logs, archives, secrets } = folder;
  const { instanceId, engineUse, replaced } = folder;
  await sweepLeftovers(config, logger);

  const results = createResults({ store, bodies, clock, logger });
  let port = config.port;
  const origin = config.bind === 'localhost' ? '127.0.0.1' : config.bind;
  const baseUrl = () => `http://${urlHost(origin)}:${port}`;

  const legacy = legacyListeners(config, { makeApp: (asked) => services.legacyApp(asked), logger });
  const parts = createExecutors({
    config,
    instanceId,
    engineUse,
    baseUrl,
    makeApp: (hosts, files) => services.app(hosts, true, files),
    port: () => port,
    legacy,
    results,
    logger,
  });
  const { executors, containers, processes, processors, builder, listener, sockets } = parts;
  const { memoryBytes, pids, diskBytes, messageBytes, mailboxBytes, stateBytes } = config.limits;
  const scheduler = createScheduler({
    store,
    executors,
    logs,
    bodies,
    configs: secrets.configs,
    clock,
    ...(virtual && { machine }),
    ids,
    vault,
    logger,
    settings: { ...executionSettings(config), ...(processors && { processors }) },
  });

  const poster = createPoster({
    userAgent: `actorctl/${VERSION}`,
    allowPrivate: config.allowPrivateWebhooks,
    ...(legacy && { ownCertificate: legacy.ownCertificate }),
  });
  const dispatcher = createDispatcher({ store, poster, clock, logger });

  const common = {
    store,
    vault,
    ids,
    clock,
    logger,
    baseUrl,
    scheduler,
    logs,
    bodies,
    results,
    seal: secrets.seal,
    quotas: config.quotas,
    about: aboutDaemon(instance, dataDir, clock),
    mailboxLimit: mailboxBytes,
    messageLimit: messageBytes,
    stateLimit: stateBytes,
  };
  let starting = true;
  const services = createServices({
    ...common,
    dashboardDir: DASHBOARD,
    starting: () => starting,
    isVirtual: virtual !== undefined,
  });
  const control =
    virtual &&
    createClockControl({
      store,
      clock: virtual,
      machine,
      ids,
      logger,
      deleteExpired: () => Promise.all([services.sweep(), scheduler.sweep()]),
    });
  closers.push(() => listener.close());
  const main = services.app(() => new Set([...hosts, ...listener.mainHosts()]), false);
  let hosts: ReadonlySet<string> = new Set();

  // The port must be bound before anything runs, because runs receive it. Requests get 503 until the records are
  // recovered.
  port = await listen(main.server, config.bind, config.port, {
    prefer: config.preferPort,
  });
  hosts = new Set([...loopbackHosts(port), `${urlHost(origin)}:${port}`]);
  closers.push(() => main.close());
  const work = !config.haltOnly;
  closers.push(async () => legacy?.close());
  if (legacy && work) await legacy.begin();
  closers.push(() => scheduler.stop({ deadlineMs: 0, haltExecutions: false }));
  await scheduler.start({ work });
  await listener.begin();
  closers.push(() => dispatcher.stop({ deadlineMs: 0 }));
  if (work) {
    services.resume();
    starting = false;
    // Only after requests are accepted, because a webhook may lead to this daemon.
    dispatcher.start();
  }

  let askStop: (options: StopOptions) => void = () => undefined;
  const stopAsked = new Promise<StopOptions>((resolve) => {
    askStop = resolve;
  });
  let stopping = false;
  /** A later stop may ask for it. */
  let haltsExecutions = false;
  let waitsForRuns = false;
  const launch = launchOf(config, port);
  const forArchives = archiveHandlers({ archives, dataDir, logger });
  const forOwner = main.ownerListener({
    ...daemonHandlers({
      ...common,
      control,
      config,
      launch,
      version: VERSION,
      actorBaseUrl: listener.address,
      legacy,
      stop: (options) => {
        haltsExecutions ||= options.haltExecutions;
        // A stop that waits for executions ends as soon as they are halted.
        if (waitsForRuns && options.haltExecutions)
          void scheduler.haltAll().catch((error: unknown) => logger.warn({ error }, 'cannot halt all executions'));
        askStop(options);
      },
      isStopping: () => stopping,
      loginLink: services.loginLink,
      rotateKey: secrets.rotateKey,
    }),
    ...clockHandlers({ store, machine, control, logger }),
    ...imageHandlers({
      builder,
      executors: [containers, processes],
      ids,
      store,
      limits: { memoryBytes, pids, diskBytes },
      logger,
    }),
    ...forArchives.handlers,
    ...pruneHandlers({ ...common, pruning: scheduler.pruning, builder, machine }),
  });
  const management = await serveManagement(paths.socket, forOwner);
  closers.push(() => management.close());

  const sweep = setInterval(() => void services.sweep(), SWEEP_EVERY_MS).unref();

  const described = { pid: process.pid, version: VERSION, instance, baseUrl: baseUrl(), authUrl: baseUrl() };
  if (work) await announce(paths, { ...described, socket: paths.socket, startedAt: machine.now() }, launch);
  await started();
  const stale = lock.tookOverFrom;
  if (stale) logger.warn({ ...stale }, 'the previous daemon did not stop in order; its lock was taken over');
  if (!isLoopback(config.bind)) logger.warn({ bind: config.bind }, 'other machines reach the daemon over plain HTTP');
  logger.info({ ...described, dataDir, instanceId }, 'up');

  return {
    logger,
    stopAsked,
    ready: {
      ...described,
      dataDir,
      schemaVersion: store.status().schemaVersion,
      ...(replaced && { replaced }),
      ...(stale && { stale: `took over from process ${stale.pid}, which ended without stopping in order` }),
    },
    async stop({ deadlineMs, haltExecutions, keepData }) {
      const erase = config.ephemeral && !keepData;
      logger.info({ deadlineMs, haltExecutions }, 'stopping');
      stopping = true;
      clearInterval(sweep);
      await rm(paths.daemonFile, { force: true });
      await control?.close();
      await forArchives.close();
      // Before requests are refused, because deliveries under way may lead to this daemon.
      await dispatcher.stop({ deadlineMs: Math.min(deadlineMs, DRAIN_MS) });
      // A client that never reads must not delay the stop.
      await Promise.race([
        Promise.all([main.drain(), legacy?.drain()]),
        elapse(Math.min(deadlineMs, DRAIN_MS), undefined, { ref: false }),
      ]);
      waitsForRuns = true;
      const haltsAll = haltExecutions || haltsExecutions || erase;
      const { finished, halted, left } = await scheduler.stop({ deadlineMs, haltExecutions: haltsAll });
      const running = erase ? [] : stillRunning(store);
      await main.close();
      await legacy?.close();
      await listener.close();
      // If the data are deleted, no start will recover the remaining runs.
      const removeAll = left === 0 || erase;
      await containers.close({ removeAll });
      await processes.close({ removeAll });
      await sockets.close({ removeAll });
      const exported = config.backupOnExit === undefined || keepData || (await backupOnExit(archives, config, logger));
      // Before the lock is released: `down --halt-executions` looks for either of them.
      await recordLeftBehind(paths.leftFile, dataDir, running);
      await store.close();
      await management.close();
      if (erase && exported) await removeTree(dataDir);
      logger.info({ finished, halted, left }, 'stopped');
    },
  };
};

/** The stop of a daemon that only halts what an earlier one left. */
const HALT_ALL: StopOptions = { deadlineMs: 0, haltExecutions: true, keepData: true };

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
    const stop = config.haltOnly ? HALT_ALL : await Promise.race([signalled, daemon.stopAsked]);
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
