// The owner's handlers for the daemon itself, logins and secret configs.
import { SCOPE } from '../../src/contract/oauth/token.ts';
import type { daemonOperations, ReachReport } from '../../src/contract/owner/daemon.ts';
import type { Launch } from '../../src/local/daemon/launch.ts';
import { cliClient } from '../clients/cli-client.ts';
import type { DaemonConfig } from '../config.ts';
import { nodesWithExecutions } from '../domain/executions/stored-executions.ts';
import { Failure } from '../domain/failure.ts';
import { scheduleNow } from '../domain/schedule/machine-time.ts';
import type { Handlers } from '../http/route-handler.ts';
import type { AuthorizationService } from '../oauth/service.ts';
import { bootstrap } from '../people/bootstrap.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClockControl } from '../ports/clock-control.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Scheduler, StopOptions } from '../ports/scheduler.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { longHandler } from './long-handler.ts';

interface DaemonDependencies {
  readonly config: DaemonConfig;
  readonly version: string;
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly control?: ClockControl;
  readonly baseUrl: () => string;
  readonly actorBaseUrl: () => string | undefined;
  /** The https listeners for programs of the hosted platform. */
  readonly legacy: LegacyView | undefined;
  /** Begins the orderly stop; returns at once. */
  readonly stop: (options: StopOptions) => void;
  /** True once the orderly stop has begun, including by a signal. */
  readonly isStopping: () => boolean;
  readonly launch: Launch;
  /** Issues a one-time link that logs a browser in. @throws Failure NOT_FOUND, VALIDATION */
  readonly loginLink: AuthorizationService['loginLink'];
  readonly issue: AuthorizationService['issue'];
  readonly seal: Seal;
  readonly rotateKey: () => Promise<number>;
  /** @throws ExecutorError */
  readonly reach: (signal: AbortSignal) => Promise<ReachReport>;
  readonly logger: Logger;
}

interface LegacyView {
  origin(): string | undefined;
  portNote(): string | undefined;
  readonly authorityFile?: string;
}

const legacyOf = (listener: LegacyView | undefined) => {
  const baseUrl = listener?.origin();
  if (listener === undefined || baseUrl === undefined) return undefined;
  return { baseUrl, portNote: listener.portNote(), authorityFile: listener.authorityFile };
};

const aheadOf = (clock: Clock) => {
  const clockAheadMs = clock.now() - scheduleNow(clock);
  return clockAheadMs < 1_000 ? {} : { clockAheadMs };
};

const tally = (values: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

export const daemonHandlers = (deps: DaemonDependencies): Handlers<keyof typeof daemonOperations> => {
  const { config, store, scheduler, vault, baseUrl, actorBaseUrl } = deps;
  const begun = performance.now();
  return {
    'daemon.status': async () => {
      const [engines, nodes] = await Promise.all([scheduler.engines(), scheduler.nodes()]);
      const { writable, reason, schemaVersion } = store.status();
      const result = {
        pid: process.pid,
        version: deps.version,
        instance: config.instance,
        uptimeMs: Math.round(performance.now() - begun),
        baseUrl: baseUrl(),
        authUrl: baseUrl(),
        actorBaseUrl: actorBaseUrl(),
        dataDir: config.dataDir,
        ...(deps.isStopping() && { stopping: true }),
        launch: { ...deps.launch },
        legacy: legacyOf(deps.legacy),
        schemaVersion,
        ...(deps.control && { clock: deps.control.state() }),
        ...aheadOf(deps.clock),
        bootstrapped: store.count('users') > 0,
        store: { writable, reason },
        engines: engines.map(({ limitations, ...rest }) => ({ ...rest, limitations: limitations && [...limitations] })),
        nodes: [...nodesWithExecutions(store, nodes)],
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
      return { result, message: 'The state of the daemon.' };
    },
    'daemon.origin': () => ({ result: { baseUrl: baseUrl() }, message: 'The base URL.' }),
    'daemon.reach': longHandler('daemon.reach', deps.logger, ({ signal }) => deps.reach(signal)),
    'daemon.stop': ({ input: { graceMs = 30_000, haltExecutions = false, keepData = false } }) => {
      deps.stop({ deadlineMs: graceMs, haltExecutions, keepData });
      return { result: { stopping: true, pid: process.pid }, message: 'The daemon stops.' };
    },
    'daemon.bootstrap': async ({ input }) => ({ result: await bootstrap(deps, input), message: 'There is a user.' }),
    'daemon.client': async () => ({ result: await cliClient(deps), message: 'The client has a new secret.' }),
    'daemon.token': async () => {
      if (config.start.withStarter !== true)
        throw new Failure('VALIDATION', 'only a temporary instance gives out a token without a login');
      const { client_id, client_secret } = await cliClient(deps);
      const result = await store.transact((tx) => {
        const client = tx.get('clients', client_id);
        if (client === undefined) throw new Failure('NOT_FOUND', 'the client of actorctl was deleted meanwhile');
        const whose = { tenant: client.tenant, username: client.owner };
        const { access_token, refresh_token, scope } = deps.issue(tx, client_id, {
          ...whose,
          scope: SCOPE,
          flow: 'password',
          refreshToken: { kind: 'new' },
          isLasting: true,
        });
        return { client_id, client_secret, access_token, refresh_token: refresh_token ?? '', scope, ...whose };
      });
      deps.logger.info({ event: 'owner-token', tenant: result.tenant, user: result.username }, 'the starter logged in');
      return { result, message: 'The first admin is logged in.' };
    },
    'daemon.login': ({ input }) => ({ result: deps.loginLink(input), message: 'The link works once.' }),
    'secrets.show': ({ input: { name, digest } }) => {
      const found = [...store.all('configs')].find(
        (each) => each.name === name && each.isSecret && vault.digest(each.value) === digest,
      );
      if (found === undefined)
        throw new Failure('NOT_FOUND', `there is no secret config "${name}" with this sealed text`);
      const text = deps.seal.open(found.value, found);
      deps.logger.info(
        { event: 'config-revealed', tenant: found.tenant, config: name },
        'a secret config was shown in clear text',
      );
      return { result: { text }, message: 'The value.' };
    },
    'secrets.rotate': async () => ({ result: { resealed: await deps.rotateKey() }, message: 'There is a new key.' }),
  };
};
