// The relay: a small process in the network namespace of an engine without root. It listens at the gateway address of the
// instance's network, and passes each connection on to a socket of the daemon. Arguments: address, path of the socket, the
// ports to try. It writes one line of JSON, answers each line of its input, and ends with its input, so it never outlives
// the daemon.
import { execFile } from 'node:child_process';
import { connect, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isolatePortsByIp } from '../engine/bridge-ports.ts';
import { errorCode } from '../read-field.ts';
import type { Opening } from './relay.ts';

const MOST_CONNECTIONS = 1_000;
/** The relay of a daemon that was killed ends at once, but not before the next daemon starts one. */
const TRIES = 20;
const AGAIN_MS = 100;
const IP_MS = 5_000;

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let fixedMac: string | undefined;

/**
 * Gives the bridge its current MAC address for good. Otherwise the bridge of Podman takes the lowest MAC address of its
 * ports: it changes as containers come and go, and other containers send to the old one for up to two minutes. Without
 * the program `ip` nothing is changed, and `actorctl doctor` reports it.
 * @see https://github.com/containers/netavark/pull/833
 */
const fixMac = (device: string, mac: string): Promise<void> =>
  new Promise((resolve) => {
    fixedMac = mac;
    execFile('ip', ['link', 'set', 'dev', device, 'address', mac], { timeout: IP_MS }, () => resolve());
  });

/** Indexes of the ports that are isolated. */
const isolated = new Set<string>();

/** Whether the bridge with the address exists. A bridge that Podman has created anew has another MAC address. */
const isHere = async (address: string): Promise<boolean> => {
  for (const [device, addresses] of Object.entries(networkInterfaces())) {
    const own = addresses?.find((each) => each.address === address);
    if (own === undefined) continue;
    if (own.mac !== fixedMac) await fixMac(device, own.mac);
    await isolatePortsByIp(device, isolated);
    return true;
  }
  return false;
};

const listenOnce = (server: Server, address: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });

const listen = async (server: Server, address: string, port: number): Promise<number> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenOnce(server, address, port);
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' || attempt === TRIES) throw error;
      await sleep(AGAIN_MS);
    }
  }
};

const passTo = (socket: string): Server => {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: socket, allowHalfOpen: true });
    near.pipe(far).pipe(near);
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const side of [near, far]) side.on('error', end).on('close', end);
  });
  server.maxConnections = MOST_CONNECTIONS;
  return server;
};

const open = async (address: string, socket: string, ports: readonly number[]): Promise<Opening> => {
  const server = passTo(socket);
  let problem = 'no port was given';
  for (const port of ports) {
    try {
      return { port: await listen(server, address, port) };
    } catch (error) {
      problem = String(errorCode(error) ?? error);
    }
  }
  return { problem };
};

const main = async (): Promise<void> => {
  const [address, socket, ...ports] = process.argv.slice(2);
  if (address === undefined || socket === undefined)
    throw new Error('usage: actor-relay ADDRESS SOCKET PORT… (it is started by actorctld)');
  // A terminal sends its signals to the whole process group. The relay ends with the daemon.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const lines = createInterface({ input: process.stdin });
  lines.on('close', () => process.exit(0));
  process.stdout.on('error', () => process.exit(0));
  const opening = await open(address, socket, ports.map(Number));
  if (!('problem' in opening)) await isHere(address);
  write(opening);
  if ('problem' in opening) process.exit(1);
  lines.on('line', async () => write({ here: await isHere(address) }));
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
