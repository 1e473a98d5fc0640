// Creates and connects the parts of a daemon without starting them.

import { statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isLoopback, isWildcard, localOrigin } from '../../src/local/daemon/listen-address.ts';
import { VERSION } from '../../src/local/version.ts';
import type { AboutDaemon } from '../actors/dependencies.ts';
import { createResults } from '../actors/results/service.ts';
import type { DaemonConfig } from '../config.ts';
import { addressRule, webhookAddressFault } from '../delivery/address.ts';
import { createPoster } from '../delivery/webhook-poster.ts';
import { MAILBOX_LIMITS } from '../domain/executions/mailbox.ts';
import { hostsAt, loopbackHosts } from '../http/request-gate.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createClockControl } from '../scheduler/cron/clock-control.ts';
import { createScheduler } from '../scheduler/scheduler.ts';
import type { SchedulerSettings } from '../scheduler/scheduler-settings.ts';
import { createDispatcher } from '../scheduler/webhook-dispatcher.ts';
import type { openDataFolder } from './data-folder.ts';
import { createExecutors } from './executors.ts';
import { legacyListeners } from './legacy-listener.ts';
import { createLifecycle } from './lifecycle.ts';
import { listen } from './listen.ts';
import { createServices } from './services.ts';
import { createSources } from './sources.ts';

const executionSettings = ({
  limits,
  executionRetention,
  eventRetention,
}: DaemonConfig): Partial<SchedulerSettings> => {
  const { maxWorkers, maxRunTime, memoryBytes, pids, diskBytes, stateBytes, mailboxBytes } = limits;
  return {
    memoryBytes,
    pids,
    diskBytes,
    ...(stateBytes !== undefined && { stateBytes }),
    mailbox: { ...MAILBOX_LIMITS, bytes: mailboxBytes },
    ...(maxWorkers !== undefined && { maxParallel: maxWorkers }),
    ...(maxRunTime !== undefined && { defaultMaxRunTimeMs: maxRunTime * 1_000 }),
    executionRetention,
    eventRetention,
  };
};

/** Folder of the built dashboard, beside the folder of the daemon's bundle. */
const DASHBOARD = fileURLToPath(new URL('../dashboard', import.meta.url));

const aboutDaemon = (instance: string, dataDir: string, clock: Clock): AboutDaemon => ({
  version: VERSION,
  instance,
  startedAt: clock.now(),
  disk: async () => {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
});

type Folder = Awaited<ReturnType<typeof openDataFolder>>;

/** The address of the main listener, whose port is known once it is bound. */
const mainAddress = ({ bind, publicUrl, port: wanted }: DaemonConfig) => {
  let port = wanted;
  let hosts: ReadonlySet<string> = new Set();
  const localUrl = (): string => localOrigin(bind, port);
  return {
    port: (): number => port,
    /** Origin for people. */
    baseUrl: (): string => publicUrl ?? localUrl(),
    /** Origin for processes of this machine. */
    localUrl,
    /** Accepted values of the Host header. */
    hosts: (): ReadonlySet<string> => hosts,
    bound(to: number): void {
      port = to;
      const own = isWildcard(bind) ? [] : hostsAt(localUrl());
      hosts = new Set([...loopbackHosts(port), ...own, ...(publicUrl === undefined ? [] : hostsAt(publicUrl))]);
    },
  };
};

const createRunningParts = (config: DaemonConfig, folder: Folder, logger: Logger) => {
  const { clock, machine, virtual, ids, store, vault, bodies, logs, secrets } = folder;
  const { configs } = secrets;
  const address = mainAddress(config);
  const { baseUrl, localUrl, port } = address;
  const results = createResults({ store, bodies, clock, logger });
  const legacy = legacyListeners(config, { makeApp: (asked) => services.legacyApp(asked), logger });
  const executing = createExecutors({
    config,
    instanceId: folder.instanceId,
    newId: () => ids.id(),
    engineUse: folder.engineUse,
    localUrl,
    makeApp: (hosts, files) => services.app(hosts, true, files),
    port,
    legacy,
    results,
    logger,
  });
  const { executors, processors } = executing;
  const settings = { ...executionSettings(config), ...(processors && { processors }) };
  const ofScheduler = { store, executors, logs, bodies, configs, results, clock, ids, vault, logger, settings };
  const scheduler = createScheduler({ ...ofScheduler, ...(virtual && { machine }) });
  const lifecycle = createLifecycle({ haltAll: scheduler.haltAll, logger });
  const control =
    virtual &&
    createClockControl({
      ...{ store, clock: virtual, machine, ids, logger },
      deleteExpired: () => Promise.all([services.sweep(), scheduler.sweep()]),
    });
  const { messageBytes, mailboxBytes, stateBytes } = config.limits;
  const common = {
    store,
    vault,
    ids,
    clock,
    ...(control && { virtual: { control, machine } }),
    logger,
    baseUrl,
    scheduler,
    sources: createSources({ ...config, ...executing }),
    logs,
    bodies,
    results,
    seal: secrets.seal,
    quotas: config.quotas,
    webhookAddressFault: webhookAddressFault(addressRule(config.allowPrivateWebhooks)),
    about: aboutDaemon(config.instance, config.dataDir, clock),
    mailboxLimit: mailboxBytes,
    messageLimit: messageBytes,
    stateLimit: stateBytes,
  };
  const services = createServices({
    ...common,
    dashboardDir: DASHBOARD,
    starting: lifecycle.isStarting,
  });
  return { config, folder, logger, address, legacy, ...executing, scheduler, lifecycle, common, control, services };
};

export type Parts = ReturnType<typeof createParts>;

export const createParts = (config: DaemonConfig, folder: Folder, logger: Logger) => {
  const parts = createRunningParts(config, folder, logger);
  const { address, legacy, listener, services } = parts;
  const { store, clock, secrets } = folder;
  const { configs } = secrets;
  const poster = createPoster({
    userAgent: `actorctl/${VERSION}`,
    allowPrivate: config.allowPrivateWebhooks,
    ...(legacy && { ownCertificate: legacy.ownCertificate }),
  });
  return {
    ...parts,
    dispatcher: createDispatcher({ store, poster, clock, configs, logger }),
    main: services.app(() => new Set([...address.hosts(), ...listener.mainHosts()]), false),
  };
};

/**
 * Binds the port and starts the parts in order. The port is bound before anything runs, because runs receive it.
 * Requests get 503 until the records are recovered.
 * @param closers receives the functions that close the started parts if a later step of the start fails
 */
export const beginParts = async (parts: Parts, closers: (() => Promise<unknown>)[]): Promise<void> => {
  const { config, logger, address, legacy, listener, main, scheduler, dispatcher, services, lifecycle } = parts;
  const serves = !config.haltOnly;
  closers.push(() => listener.close());
  address.bound(await listen(main.server, config.bind, config.port, { prefer: config.preferPort }));
  closers.push(
    () => main.close(),
    async () => legacy?.close(),
  );
  if (serves) await legacy?.begin();
  closers.push(() => scheduler.stop({ deadlineMs: 0, haltExecutions: false }));
  await scheduler.start({ work: serves });
  await listener.begin();
  closers.push(() => dispatcher.stop({ deadlineMs: 0 }));
  if (serves) {
    services.resume();
    lifecycle.enter('serving');
    // Started only after requests are accepted, because a webhook may lead to this daemon.
    dispatcher.start();
  }
  if (!isLoopback(config.bind)) logger.warn({ bind: config.bind }, 'other machines reach the daemon over plain HTTP');
};
