// Creates the executors of the daemon: the Docker executor with its API listener, and the process executor with its runner.
import { createHash } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonConfig } from '../config.ts';
import { createDockerExecutor } from '../executor/docker/docker-executor.ts';
import { createProcessExecutor } from '../executor/process/process-executor.ts';
import { createResultSockets, type ResultSockets } from '../executor/results/sockets.ts';
import { withResultSockets } from '../executor/results/with-result-sockets.ts';
import type { App } from '../http/app.ts';
import type { Builder } from '../ports/builder.ts';
import type { EngineUse, Executor } from '../ports/executor.ts';
import type { Logger } from '../ports/logger.ts';
import type { Results } from '../ports/results.ts';
import { type BridgeListener, createBridgeListener } from './bridge-listener.ts';
import { runsFolderOf } from './instance-id.ts';

/** The runner's bundle, beside the folder of the daemon's files. */
const RUNNER = fileURLToPath(new URL('../actor-runner.cjs', import.meta.url));

export interface Executors {
  readonly docker: Executor;
  readonly processes: Executor;
  readonly builder: Builder;
  readonly listener: BridgeListener;
  readonly sockets: Pick<ResultSockets, 'close'>;
}

/**
 * Creates the executors. No engine is contacted before the first call that needs one: a data folder that never used an
 * engine starts and stops without it.
 */
export const createExecutors = (options: {
  readonly config: DaemonConfig;
  readonly instanceId: string;
  readonly engineUse: EngineUse;
  readonly baseUrl: () => string;
  /** Makes the app that serves containers, for the Host values it is given. */
  readonly makeApp: (hosts: () => ReadonlySet<string>) => App;
  /** Port of the loopback listener. */
  readonly port: () => number;
  /** Stores the results that runs send. */
  readonly results: Results;
  readonly logger: Logger;
}): Executors => {
  const { config, instanceId, engineUse, baseUrl, makeApp, port, results, logger } = options;
  const { dataDir, paths } = config;
  const containers = createDockerExecutor({
    instanceId,
    instanceName: config.instance,
    use: engineUse,
    env: config.env,
    home: config.home,
    logger,
    apiPort: () => listener.ensurePort(),
    ...(config.dockerHost !== undefined && { dockerHost: config.dockerHost }),
  });
  const listener = createBridgeListener({ gateway: containers.gateway, makeApp, mainPort: port, logger });
  // Each data folder has its own runner and its own folder of sockets, also under the same instance name.
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const sockets = createResultSockets({
    folders: [paths.runtimeDir, path.join(tmpdir(), `actorctl-${userInfo().uid}`)].map((each) =>
      path.join(each, `x-${digest}`),
    ),
    deliver: (executionId, bytes) => results.put(executionId, bytes),
    logger,
  });
  const docker = withResultSockets(containers, sockets, {
    openToAll: true,
    obstacle: async () => ((await containers.sharesFiles()) ? undefined : 'the engine is not on this machine itself'),
  });
  const plainProcesses = createProcessExecutor({
    runsFolder: runsFolderOf(dataDir),
    runnerPath: RUNNER,
    socketPath: path.join(paths.runtimeDir, `r-${digest}.sock`),
    apiServer: baseUrl,
    logger,
  });
  const processes = withResultSockets(plainProcesses, sockets, { openToAll: false });
  return { docker, processes, builder: containers.builder, listener, sockets };
};
