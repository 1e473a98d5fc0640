// Isolates the ports of a bridge from each other, on engines whose bridges pass packets between containers. An isolated
// port reaches the gateway and what is behind it, but no other isolated port.
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { errorCode } from '../read-field.ts';

const run = promisify(execFile);
const IP_MS = 5_000;

/** Name of the interface that has the address. Undefined if there is none. */
const deviceWith = (address: string): string | undefined =>
  Object.entries(networkInterfaces()).find(([, addresses]) => addresses?.some((own) => own.address === address))?.[0];

/** The first Linux with isolated ports. @param release like `6.1.0-13-amd64` */
export const hasIsolatedPorts = (release: string): boolean => {
  const [major = 0, minor = 0] = release.split('.').map((part) => Number.parseInt(part, 10));
  return major > 4 || (major === 4 && minor >= 18);
};

/**
 * Isolates the ports of the bridge with this gateway address, in the network namespace of this machine.
 * @throws a system error if the kernel refuses
 * @see `man 8 bridge`
 */
export const isolatePorts = async (gateway: string): Promise<void> => {
  const bridge = deviceWith(gateway);
  if (bridge === undefined) return;
  const folder = `/sys/class/net/${bridge}/brif`;
  for (const port of await readdir(folder)) {
    try {
      await writeFile(`${folder}/${port}/isolated`, '1', { flag: 'r+' });
    } catch (error) {
      // The container of this port has ended meanwhile.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
};

/** As `isolatePorts`, in another network namespace, where the files of the kernel are those of the machine. Never throws. */
export const isolatePortsByIp = async (bridge: string, isolated: Set<string>): Promise<void> => {
  const ip = (...args: readonly string[]) => run('ip', args, { timeout: IP_MS }).catch(() => undefined);
  const listed = await ip('-o', 'link', 'show', 'master', bridge);
  for (const [, index = '', name = ''] of (listed?.stdout ?? '').matchAll(/^(\d+): ([^:@\s]+)/gm)) {
    if (isolated.has(index)) continue;
    // The container of a port may have ended meanwhile. The other ports are isolated all the same.
    const done = await ip('link', 'set', 'dev', name, 'type', 'bridge_slave', 'isolated', 'on');
    if (done !== undefined) isolated.add(index);
  }
};
