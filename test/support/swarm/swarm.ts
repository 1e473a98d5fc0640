// The Docker Swarm of the tests: whether there is one, its engines, and an executor that uses it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { createFileOffers } from '../../../daemon/executor/swarm/file-offers.ts';
import {
  createSwarmExecutor,
  type SwarmExecutor,
  type SwarmExecutorInputs,
} from '../../../daemon/executor/swarm/swarm-executor.ts';
import { type BuiltDaemon, builtDaemon, type DaemonOptions, until } from '../daemon/daemon.ts';
import { quietLogger } from '../engine/docker.ts';
import { type Requirement, requirement } from '../runner/requirements.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('swarm-lab.sh', import.meta.url));

/** The swarm that the setup of the project has brought up. */
export interface SwarmLab {
  readonly folder: string;
  /** A value for DOCKER_HOST: the manager. */
  readonly host: string;
  readonly registry: string;
  /** Address of this machine as the nodes see it. */
  readonly gateway: string;
}

const variables = process.env;

/** Whether there is a swarm. */
export const swarmRequirement = (): Requirement =>
  variables['ACTORCTL_SWARM_HOST']
    ? requirement('swarm', true, '')
    : requirement('swarm', false, variables['ACTORCTL_SWARM_PROBLEM'] ?? 'run it with npm run test:engines');

/** The swarm of this run. Only called where there is one. */
export const swarmLab = (): SwarmLab => ({
  folder: variables['ACTORCTL_SWARM_LAB'] ?? '',
  host: variables['ACTORCTL_SWARM_HOST'] ?? '',
  registry: variables['ACTORCTL_SWARM_REGISTRY'] ?? '',
  gateway: variables['ACTORCTL_SWARM_GATEWAY'] ?? '',
});

/** The engine of a node, counted from 1; the first is the manager. */
export const engineOf = (node: number): Docker =>
  new Docker({ socketPath: path.join(swarmLab().folder, String(node), 'docker.sock') });

const pidOf = (node: number): number => Number(readFileSync(path.join(swarmLab().folder, String(node), 'pid'), 'utf8'));

/** Kills the engine of a node at once; its containers run on. */
export const killEngine = (node: number): void => {
  process.kill(pidOf(node), 'SIGKILL');
};

/** Stops the engine of a node with its containers. Resolves when its process is gone. */
export const stopEngine = async (node: number): Promise<void> => {
  const pid = pidOf(node);
  process.kill(pid, 'SIGTERM');
  await until(() => !existsSync(`/proc/${pid}`));
};

/** Starts the engine of a node again. */
export const startEngine = async (node: number): Promise<void> => {
  await run('bash', [SCRIPT, 'start', swarmLab().folder, String(node)]);
};

/** Files that runs fetch from a server of the test, at the address of this machine that the nodes reach. */
const testOffers = () => {
  const folder = path.join(tmpdir(), `actorctl-offers-${randomBytes(6).toString('hex')}`);
  const server = createServer(async (request, response) => {
    const [, , ref = '', secret = ''] = (request.url ?? '').split('/');
    const file = await offers.take(ref, secret);
    if (file === undefined) response.writeHead(404).end();
    else file.content.pipe(response);
  });
  const listening = once(server.listen(0, swarmLab().gateway), 'listening');
  const offers = createFileOffers(folder, async () => {
    await listening;
    const address = server.address();
    return `http://${swarmLab().gateway}:${typeof address === 'object' ? address?.port : ''}`;
  });
  return { offers, close: () => rm(folder, { recursive: true, force: true }).finally(() => server.close()) };
};

/** An executor with its own instance id. `tidy` removes everything of it from the swarm, and closes it. */
export const testSwarmExecutor = (
  over: Partial<SwarmExecutorInputs> = {},
): { executor: SwarmExecutor; instanceId: string; tidy: () => Promise<void> } => {
  const instanceId = over.instanceId ?? `test${randomBytes(8).toString('hex')}`;
  const { host, registry } = swarmLab();
  const { offers, close } = testOffers();
  const executor = createSwarmExecutor({
    instanceId,
    dockerHost: host,
    registry,
    offers,
    env: {},
    home: homedir(),
    stopGraceMs: 1_000,
    logger: quietLogger(),
    ...over,
  });
  const tidy = () => executor.close({ removeAll: true }).finally(close);
  return { executor, instanceId, tidy };
};

/** A built daemon that runs containers on the swarm. */
export const swarmDaemon = (options: DaemonOptions = {}): BuiltDaemon => {
  const { host, registry } = swarmLab();
  return builtDaemon({
    env: { DOCKER_HOST: host, ...options.env },
    flags: ['--engine', 'swarm', '--registry', registry, ...(options.flags ?? [])],
  });
};
