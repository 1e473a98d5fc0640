// The executors of the daemon: containers with the listener through which they reach it, and plain processes with their runner.
import { createHash } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonConfig } from '../config.ts';
import { createDockerExecutor } from '../executor/docker/docker-executor.ts';
import { createProcessExecutor } from '../executor/process/process-executor.ts';
import { withResults } from '../executor/results/executor.ts';
import { createResultSockets } from '../executor/results/sockets.ts';
import type { App } from '../http/app.ts';
import type { Builder } from '../ports/builder.ts';
import type { Executor } from '../ports/executor.ts';
import type { Logger } from '../ports/logger.ts';
import type { Results } from '../ports/results.ts';
import { type BridgeListener, createBridgeListener } from './bridge-listener.ts';

/** The bundled runner of `file:` actors, beside the bundled daemon. */
const RUNNER = fileURLToPath(new URL('./actor-runner.cjs', import.meta.url));

export interface Executors {
  readonly docker: Executor;
  readonly processes: Executor;
  readonly builder: Builder;
  readonly gateway: BridgeListener;
}

/** Builds the executors; no engine is asked anything before the first run needs it. */
export const createExecutors = (options: {
  readonly config: DaemonConfig;
  readonly instanceId: string;
  readonly baseUrl: () => string;
  /** Makes the app that containers may talk to. */
  readonly makeApp: (hosts: () => ReadonlySet<string>) => App;
  /** Port of the loopback listener. */
  readonly port: () => number;
  /** Takes in what runs send. */
  readonly results: Results;
  readonly logger: Logger;
}): Executors => {
  const { config, instanceId, baseUrl, makeApp, port, results, logger } = options;
  const { dataDir, paths } = config;
  const bridge = createDockerExecutor({
    instanceId,
    instanceName: config.instance,
    env: config.env,
    home: config.home,
    logger,
    ...(config.dockerHost !== undefined && { dockerHost: config.dockerHost }),
  });
  const gateway = createBridgeListener({ bridge, makeApp, mainPort: port, logger });
  // One runner, and one folder of sockets, per data folder: another folder under the same instance name has runs of its own.
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const sockets = createResultSockets({
    folders: [paths.runtimeDir, path.join(tmpdir(), `actorctl-${userInfo().uid}`)].map((each) =>
      path.join(each, `x-${digest}`),
    ),
    deliver: (executionId, bytes) => results.put(executionId, bytes),
    logger,
  });
  const reaching: Executor = {
    ...bridge,
    async apiServer() {
      await gateway.ensure();
      return bridge.apiServer();
    },
    // What an earlier daemon started calls at the same address, and nothing else may come to need the listener.
    async start(ref, sink) {
      await gateway.ensure();
      return bridge.start(ref, sink);
    },
    async reattach(ref, sink) {
      await gateway.ensure();
      return bridge.reattach(ref, sink);
    },
  };
  const docker = withResults(reaching, sockets, true, async () =>
    (await bridge.sharesFiles()) ? undefined : 'the engine is not on this machine itself',
  );
  const plain = createProcessExecutor({
    runsFolder: path.join(dataDir, 'runs'),
    runnerPath: RUNNER,
    socketPath: path.join(paths.runtimeDir, `r-${digest}.sock`),
    apiServer: baseUrl,
    logger,
  });
  const processes = withResults(plain, sockets, false);
  return { docker, processes, builder: bridge.builder, gateway };
};
