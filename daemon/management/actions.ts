// The actions of the management socket, except those on images and secret configs.
import * as z from 'zod/mini';
import type { Launch } from '../../src/local/daemon/launch.ts';
import { cliClient } from '../clients/cli-client.ts';
import type { DaemonConfig } from '../config.ts';
import { nodesWithExecutions } from '../domain/executions/stored-executions.ts';
import { bootstrap } from '../people/bootstrap.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClockControl } from '../ports/clock-control.ts';
import type { Ids } from '../ports/ids.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { clockState } from './clock-actions.ts';
import { readInput } from './read-input.ts';
import type { Actions } from './server.ts';

/** Longest deadline of a stop, in ms. */
const LONGEST_STOP = 24 * 60 * 60 * 1000;

const stopInput = z.object({
  timeoutMs: z.optional(z.number().check(z.minimum(0), z.maximum(LONGEST_STOP))),
  haltExecutions: z.optional(z.boolean()),
  keepData: z.optional(z.boolean()),
});
const linkInput = z.object({ tenant: z.optional(z.string()), username: z.optional(z.string()) });
const bootstrapInput = z.object({ username: z.optional(z.string()), password: z.optional(z.string()) });

/** How the daemon is stopped. */
export interface StopOptions {
  /** Time that running executions have to end, in ms. */
  readonly deadlineMs: number;
  /** Halts running executions. */
  readonly haltExecutions: boolean;
  /** Keeps the data of an ephemeral daemon. */
  readonly keepData: boolean;
}

export interface ActionDependencies {
  readonly config: DaemonConfig;
  readonly version: string;
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Absent: the instance has the clock of the machine. */
  readonly control?: ClockControl;
  readonly baseUrl: () => string;
  readonly actorBaseUrl: () => string | undefined;
  /** The https listeners for programs of the hosted platform. */
  readonly legacy: LegacyView | undefined;
  /** Begins the orderly stop; returns at once. */
  readonly stop: (options: StopOptions) => void;
  /** True once the orderly stop has begun, also by a signal. */
  readonly isStopping: () => boolean;
  readonly launch: Launch;
  /** Issues a one-time link that logs a browser in. @throws Failure NOT_FOUND, VALIDATION */
  readonly loginLink: (asked: { readonly tenant?: string; readonly username?: string }) => unknown;
}

/** What `status` shows of the https listener. */
interface LegacyView {
  origin(): string | undefined;
  portNote(): string | undefined;
  readonly authorityFile?: string;
}

const legacyOf = (listener: LegacyView | undefined) => {
  const [baseUrl, portNote] = [listener?.origin(), listener?.portNote()];
  if (listener === undefined || baseUrl === undefined) return undefined;
  const { authorityFile } = listener;
  return {
    baseUrl,
    ...(portNote !== undefined && { portNote }),
    ...(authorityFile !== undefined && { authorityFile }),
  };
};

const tally = (values: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** Creates the actions. Their client is `src/local/daemon/management-client.ts`. */
export const managementActions = (deps: ActionDependencies): Actions => {
  const { config, store, scheduler, baseUrl, actorBaseUrl } = deps;
  const begun = performance.now();
  return {
    'GET /manage/status': async () => {
      const [engines, nodes] = await Promise.all([scheduler.engines(), scheduler.nodes()]);
      const { writable, reason, schemaVersion } = store.status();
      const [reachable, legacy] = [actorBaseUrl(), legacyOf(deps.legacy)];
      return {
        pid: process.pid,
        version: deps.version,
        instance: config.instance,
        uptimeMs: Math.round(performance.now() - begun),
        baseUrl: baseUrl(),
        authUrl: baseUrl(),
        ...(reachable !== undefined && { actorBaseUrl: reachable }),
        dataDir: config.dataDir,
        ...(deps.isStopping() && { stopping: true }),
        launch: deps.launch,
        ...(legacy && { legacy }),
        schemaVersion,
        ...clockState(deps),
        bootstrapped: store.count('users') > 0,
        store: { writable, ...(reason !== undefined && { reason }) },
        engines,
        nodes: nodesWithExecutions(store, nodes),
        counts: {
          actors: tally([...store.all('actors')].map(({ status }) => status)),
          workers: store.count('workers'),
          executions: {
            running: store.countBy('executions', 'running', 'yes'),
            queued: store.count('messages'),
            total: store.count('executions'),
          },
        },
      };
    },
    'GET /manage/origin': () => ({ baseUrl: baseUrl(), ...clockState(deps) }),
    'POST /manage/stop': (input) => {
      const { timeoutMs = 30_000, haltExecutions = false, keepData = false } = readInput(stopInput, input);
      deps.stop({ deadlineMs: timeoutMs, haltExecutions, keepData });
      return { stopping: true, pid: process.pid };
    },
    'POST /manage/bootstrap': (input) => {
      const { username, password } = readInput(bootstrapInput, input);
      return bootstrap(deps, {
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
      });
    },
    'POST /manage/cli-client': () => cliClient(deps),
    'POST /manage/login-link': (input) => {
      const { tenant, username } = readInput(linkInput, input);
      return deps.loginLink({ ...(tenant !== undefined && { tenant }), ...(username !== undefined && { username }) });
    },
  };
};
