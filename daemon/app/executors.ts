// Creates the executors of the daemon: for containers, with their API listener, and for processes, with their runner.
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReachReport } from '../../src/contract/owner/daemon.ts';
import type { DaemonConfig } from '../config.ts';
import { createDockerExecutor } from '../executor/docker/docker-executor.ts';
import { createProcessExecutor } from '../executor/process/process-executor.ts';
import { createReach } from '../executor/reach/reach.ts';
import { createResultSockets, type ResultSockets } from '../executor/results/sockets.ts';
import { withResultSockets } from '../executor/results/with-result-sockets.ts';
import { createFileOffers } from '../executor/swarm/file-offers.ts';
import { createSwarmExecutor } from '../executor/swarm/swarm-executor.ts';
import type { App } from '../http/app.ts';
import type { Builder } from '../ports/builder.ts';
import type { EngineUse, Executor } from '../ports/executor.ts';
import type { OfferedFiles } from '../ports/file-offers.ts';
import type { Logger } from '../ports/logger.ts';
import type { Results } from '../ports/results.ts';
import type { EngineDependencies } from '../scheduler/scheduler-context.ts';
import { type BridgeListener, createBridgeListener, type ListenAddress } from './bridge-listener.ts';
import { runsFolderOf } from './instance-id.ts';
import type { LegacyListeners } from './legacy-listener.ts';
import { relayPassage } from './relay-passage.ts';

interface ActorAddress {
  readonly address: string;
  /** Port to bind. If absent: the port of the main listener, or any free one. */
  readonly port?: number;
  /** Host name or address at which executions reach the API, if it differs from the bound one. */
  readonly host?: string;
}

const ALL = '0.0.0.0';

/** The local address from which this machine would send packets to `peer`. Sends nothing. */
const localAddressTo = (peer: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket(peer.includes(':') ? 'udp6' : 'udp4');
    const end = (address: string | undefined) => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => end(undefined));
    socket.connect(9, peer, () => end(socket.address().address));
  });

const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address));

/**
 * The URL from `--advertise-url`, else the local address nearest to the manager. If the URL has a name or an address of
 * another machine, the daemon listens on all addresses.
 */
const actorAddress = async (
  advertiseUrl: string | undefined,
  manager: () => Promise<string | undefined>,
): Promise<ActorAddress | undefined> => {
  if (advertiseUrl === undefined) {
    const peer = await manager();
    const address = peer === undefined ? undefined : await localAddressTo(peer);
    return address === undefined ? undefined : { address };
  }
  const url = new URL(advertiseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { address: isOwn(host) ? host : ALL, port: Number(url.port || 80), host };
};

/** Paths of the bundles beside the folder of the daemon's files. */
const RUNNER = fileURLToPath(new URL('../actor-runner.cjs', import.meta.url));
const RELAY = fileURLToPath(new URL('../actor-relay.cjs', import.meta.url));

export interface Executors {
  readonly executors: EngineDependencies['executors'];
  readonly containers: Executor;
  readonly processes: Executor;
  /** Number of processors that run executions, if they are not those of this machine. */
  readonly processors?: () => number;
  readonly builder: Builder;
  readonly listener: BridgeListener;
  readonly sockets: Pick<ResultSockets, 'close'>;
  /** Finds out by a container what containers reach. @throws ExecutorError */
  readonly reach: (signal: AbortSignal) => Promise<ReachReport>;
}

interface Options {
  readonly config: DaemonConfig;
  readonly instanceId: string;
  readonly newId: () => string;
  readonly engineUse: EngineUse;
  /** Origin of the main listener for processes of this machine. */
  readonly localUrl: () => string;
  /** Makes the app that serves containers, for the given Host values and the files that runs fetch. */
  readonly makeApp: (hosts: () => ReadonlySet<string>, files?: OfferedFiles) => App;
  readonly port: () => number;
  readonly legacy: LegacyListeners | undefined;
  readonly results: Results;
  readonly logger: Logger;
}

/** Each data folder has its own sockets and its own runner, even if two folders use the same instance name. */
const digestOf = (dataDir: string): string => createHash('sha256').update(dataDir).digest('hex').slice(0, 12);

type ContainerSide = Pick<Executors, 'containers' | 'processors' | 'builder' | 'listener'>;

const endpointOf = ({ env, home, dockerHost }: DaemonConfig) => ({
  env,
  home,
  ...(dockerHost !== undefined && { dockerHost }),
});

/** The https listener that containers of legacy actors reach. Their clients require port 443. */
const legacyBridge = (
  legacy: LegacyListeners,
  gateway: () => Promise<ListenAddress | undefined>,
  logger: Logger,
): BridgeListener =>
  createBridgeListener({
    gateway,
    makeApp: (hosts, host, origin) => legacy.containerApp(host, hosts, origin),
    mainPort: () => legacy.port() ?? 0,
    ports: () => [443, legacy.port() ?? 0, 0],
    scheme: 'https',
    logger,
  });

/** Executor for containers on one engine. They reach the API over the gateway of their bridge network. */
const dockerSide = (options: Options, sockets: ResultSockets): ContainerSide => {
  const { config, instanceId, engineUse, makeApp, port, legacy, logger } = options;
  const docker = createDockerExecutor({
    ...endpointOf(config),
    instanceId,
    instanceName: config.instance,
    isTemporary: config.ephemeral,
    use: engineUse,
    logger,
    outputsFolder: path.join(config.dataDir, 'run-outputs'),
    apiPort: () => listener.ensurePort(),
    ...(legacy && { legacyPort: async () => legacyListener?.ensurePort() }),
  });
  /** @param name name of the socket at which a listener is reached from the namespace of an engine without root */
  const gatewayFor = (name: string) => async (): Promise<ListenAddress | undefined> => {
    const gateway = await docker.gateway();
    if (gateway?.namespace === undefined) return gateway;
    const { address, bindable, namespace } = gateway;
    const file = path.join(config.paths.stateDir, `${name}-${digestOf(config.dataDir)}.sock`);
    const inputs = { namespace, address, bringUp: docker.bringUpBridge, file, program: RELAY, logger };
    return { address, bindable, passage: (server, ports) => relayPassage(inputs, server, ports) };
  };
  const gateway = gatewayFor('a');
  const listener = createBridgeListener({ gateway, makeApp: (hosts) => makeApp(hosts), mainPort: port, logger });
  const legacyListener = legacy && legacyBridge(legacy, gatewayFor('l'), logger);
  const containers = withResultSockets(docker, sockets, {
    openToAll: true,
    obstacle: docker.withoutFiles,
  });
  return { containers, builder: docker.builder, listener };
};

/** Executor for containers on the nodes of a swarm. They reach the API at an address that other machines can reach. */
const swarmSide = (options: Options): ContainerSide => {
  const { config, instanceId, engineUse, makeApp, port, legacy, logger } = options;
  const { registry, advertiseUrl } = config;
  const urlOf = async (bridge: BridgeListener | undefined) =>
    (await bridge?.ensurePort()) === undefined ? undefined : bridge?.address();
  const apiUrl = () => urlOf(listener);
  const offers = createFileOffers(path.join(config.dataDir, 'one-time-files'), apiUrl);
  const swarm = createSwarmExecutor({
    ...endpointOf(config),
    instanceId,
    isTemporary: config.ephemeral,
    use: engineUse,
    logger,
    offers,
    apiUrl,
    legacyUrl: () => urlOf(legacyListener),
    ...(registry !== undefined && { registry }),
  });
  const address = async () => {
    const found = await actorAddress(advertiseUrl, swarm.managerAddress);
    return found && { ...found, bindable: true };
  };
  const legacyListener = legacy && legacyBridge(legacy, address, logger);
  const listener = createBridgeListener({
    gateway: address,
    makeApp: (hosts) => makeApp(hosts, offers),
    mainPort: port,
    isExposed: true,
    logger,
  });
  return { containers: swarm, processors: swarm.processors, builder: swarm.builder, listener };
};

/** No engine is contacted before the first call that needs one, so a daemon without an engine can start and stop. */
export const createExecutors = (options: Options): Executors => {
  const { config, localUrl, results, legacy, logger } = options;
  const { dataDir, paths } = config;
  const digest = digestOf(dataDir);
  const sockets = createResultSockets({
    folder: path.join(paths.stateDir, `x-${digest}`),
    deliver: async (executionId, bytes) => reach.receive(executionId, bytes) || results.put(executionId, bytes),
    logger,
  });
  const ofContainers = config.engine === 'swarm' ? swarmSide(options) : dockerSide(options, sockets);
  const plainProcesses = createProcessExecutor({
    runsFolder: runsFolderOf(dataDir),
    runnerPath: RUNNER,
    socketPath: path.join(paths.stateDir, `r-${digest}.sock`),
    apiServer: (dialect) => (dialect === 'legacy' ? legacy?.localOrigin() : undefined) ?? localUrl(),
    logger,
  });
  const processes = withResultSockets(plainProcesses, sockets, { openToAll: false });
  const { containers } = ofContainers;
  const { memoryBytes, pids } = config.limits;
  const reach = createReach({
    containers,
    images: ofContainers.builder,
    limits: { memoryBytes, pids },
    newId: options.newId,
  });
  return {
    ...ofContainers,
    executors: { [config.engine]: containers, process: processes },
    processes,
    sockets,
    reach: reach.test,
  };
};
