// A process with node:http alone that keeps the promise of the daemon for messages: a message is synced in a journal
// before it is answered, its claim before its command or container is started, its output and its end before its log is
// answered. A container has the limits and the rights that the daemon gives it. There is no authentication, no runner, no
// result socket and no control group of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Docker from 'dockerode';
import { runContainer as optionsOf } from '../../../daemon/executor/docker/container-spec.ts';
import { engineSettings } from '../../../daemon/scheduler/scheduler-settings.ts';
import { plainEnvironment } from '../daemon.ts';
import { runContainer } from './bare-container.ts';
import { openBareJournal } from './bare-journal.ts';
import type { ContainerOrder, Order } from './bare-runs-client.ts';

const journal = await openBareJournal();
const logs = mkdtempSync(path.join(tmpdir(), 'actorctl-bench-runs-'));
process.once('exit', () => rmSync(logs, { recursive: true, force: true }));
const docker = new Docker();
const removals: Promise<unknown>[] = [];
process.once('disconnect', () => {
  void Promise.allSettled([journal.close(), ...removals]).then(() => process.exit(0));
});

/** The logs of the runs that were begun, by id. */
const runs = new Map<string, Promise<string>>();

const runCommand = async ([file, ...args]: readonly [string, ...string[]]): Promise<string> => {
  const child = spawn(file, args, { env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  return output;
};

/** What the daemon asks of the engine for a container, with its default limits. */
const hostConfigOf = ({ image, network }: ContainerOrder): Docker.HostConfig => {
  const { memoryBytes, pids } = engineSettings();
  const created = optionsOf({
    spec: {
      executionId: 'execution',
      actorId: 'actor',
      workerId: 'worker',
      image,
      environment: {},
      files: [],
      limits: { memoryBytes, pids },
      privileged: false,
    },
    name: 'run',
    instanceId: 'bench',
    network,
    extraHosts: [],
    features: { init: true, cpuQuota: true, socketPath: '/var/run/docker.sock' },
    fence: { readOnlyRoot: false },
  });
  return created.HostConfig ?? {};
};

const run = async (id: string, order: Order): Promise<string> => {
  await journal.append(`${JSON.stringify({ id, status: 'RUNNING' })}\n`);
  const output =
    'command' in order
      ? await runCommand(order.command)
      : await runContainer(docker, order.image, hostConfigOf(order), removals);
  const log = await open(path.join(logs, id), 'w');
  await log.write(output);
  await log.sync();
  await log.close();
  await journal.append(`${JSON.stringify({ id, status: 'COMPLETE', exitCode: 0 })}\n`);
  return output;
};

const reply = (response: ServerResponse, result: object): void => {
  const text = JSON.stringify(result);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};

const server = createServer((request, response) => {
  const known = runs.get(request.url?.slice(1) ?? '');
  if (request.method === 'GET') {
    void known?.then((logs) => reply(response, { status: 'COMPLETE', exitCode: 0, logs }));
    return;
  }
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  request.on('end', async () => {
    const order = JSON.parse(text) as Order;
    const id = String(runs.size + 1);
    await journal.append(`${JSON.stringify({ id, status: 'SUBMITTED', ...order })}\n`);
    runs.set(id, run(id, order));
    reply(response, { id });
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
