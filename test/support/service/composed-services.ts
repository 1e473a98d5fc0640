// All services of the daemon in this process, over a real store in a folder of its own; only the scheduler is played.
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActorsDependencies, Sources } from '../../../daemon/actors/dependencies.ts';
import { createResults } from '../../../daemon/actors/results/service.ts';
import { listFolder } from '../../../daemon/app/list-folder.ts';
import { createServices, type Services } from '../../../daemon/app/services.ts';
import type { App } from '../../../daemon/http/app.ts';
import { loopbackHosts } from '../../../daemon/http/request-gate.ts';
import type { Bodies } from '../../../daemon/ports/bodies.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Logs } from '../../../daemon/ports/logs.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import type { Vault } from '../../../daemon/ports/vault.ts';
import { createClockControl } from '../../../daemon/scheduler/cron/clock-control.ts';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { createClock, createVirtualClock } from '../../../daemon/vault/clock.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { openSeal } from '../../../daemon/vault/seal.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import { type FakeScheduler, fakeScheduler } from '../engine/fake-scheduler.ts';

export interface ComposedServices {
  readonly folder: string;
  readonly store: Store;
  readonly vault: Vault;
  readonly scheduler: FakeScheduler;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly dependencies: ActorsDependencies;
  readonly services: Services;
  /** Milliseconds that the clock is turned forward. */
  advance(ms: number): void;
  /** Starts an app on a free loopback port. `make` gets the host names that the app accepts. */
  listen(make: (hosts: () => ReadonlySet<string>) => App): Promise<{ readonly app: App; readonly port: number }>;
  /** Ends the apps, closes the store and removes the folder. */
  close(): Promise<void>;
}

export type ServiceSettings = Pick<
  ActorsDependencies,
  'queueLimit' | 'mailboxLimit' | 'messageLimit' | 'stateLimit' | 'quotas'
> & {
  /** The clock stands still until `advance` moves it, however slow the machine is. */
  readonly stillClock?: boolean;
  /** A virtual clock, which `advance` does not move. `deleteExpired` is called at the end of each move. */
  readonly virtualClock?: { readonly from: number; readonly deleteExpired?: () => Promise<unknown> };
};

/** A machine whose engine has one image, with an example that nobody runs. */
const fakeSources: Sources = {
  folders: (path) => listFolder(path ?? tmpdir()),
  writeExample: async () => ({ image: 'file:///example', name: 'example', description: '', message: 'hi' }),
  images: async () => ({
    engine: 'docker',
    available: true,
    detail: 'Docker 27.1.0',
    images: [{ name: 'alpine:latest', size: 8_000_000, created: '2026-11-01T08:00:00.000Z' }],
    more: false,
  }),
};

/** Opens the ports and builds the services over them; nothing listens yet. */
export const composeServices = async (
  logger: Logger,
  settings: ServiceSettings & { readonly starting?: () => boolean } = {},
): Promise<ComposedServices> => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-service-'));
  const { stillClock = false, virtualClock, ...others } = settings;
  const running = createClock({ floor: 0 });
  const begun = running.now();
  const time = stillClock ? { now: () => begun } : running;
  let ahead = 0;
  const position = virtualClock && { from: virtualClock.from, at: virtualClock.from };
  const virtual = position && createVirtualClock(position, { floor: 0 });
  const clock = virtual ?? { now: () => time.now() + ahead };
  const ids = createIds();
  const vault = createVault({ cost: { logN: 4, r: 8, p: 1 } });
  const store = await openStore({ folder, clock, logger });
  if (position !== undefined) {
    const meta = { key: 'instance', instanceId: 'test', createdAt: position.from, clock: position } as const;
    await store.transact((tx) => tx.put('meta', meta));
  }
  const control =
    virtual &&
    createClockControl({
      ...{ store, clock: virtual, machine: running, ids, logger },
      deleteExpired: virtualClock?.deleteExpired ?? (async () => undefined),
    });
  const bodies = await openBodies({ folder });
  const logs = await openLogs({ folder, logger, clock });
  const seal = await openSeal({
    file: join(folder, 'config-key'),
    replace: (path, text) => replaceFile(path, (append) => append(text)),
    inUse: false,
  });
  const scheduler = fakeScheduler(store);
  const results = createResults({ store, bodies, clock, logger });
  let port = 0;
  const baseUrl = () => `http://127.0.0.1:${port}`;
  const about = { version: '0.0.0', instance: 'test', startedAt: clock.now(), disk: async () => undefined };
  const dependencies = {
    about,
    store,
    scheduler,
    sources: fakeSources,
    logs,
    bodies,
    results,
    seal,
    clock,
    ...(control && { virtual: { control, machine: running } }),
    ids,
    vault,
    logger,
    baseUrl,
    ...others,
  };
  const apps: App[] = [];
  return {
    folder,
    store,
    vault,
    scheduler,
    logs,
    bodies,
    dependencies,
    services: createServices(dependencies),
    advance: (ms) => {
      ahead += ms;
    },
    listen: async (make) => {
      const app = make(() => loopbackHosts(port));
      apps.push(app);
      await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
      port = (app.server.address() as AddressInfo).port;
      return { app, port };
    },
    async close() {
      for (const app of apps) await app.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
