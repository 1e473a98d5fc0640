// Properties of the engine that affect runs. They are read again after the engine was unavailable.
import { hostname, release } from 'node:os';
import type { EngineFeatures } from '../docker/container-spec.ts';
import { readField } from '../read-field.ts';
import type { Connection } from './connection.ts';

export interface EngineFacts extends EngineFeatures {
  /** The kernel's name: x86_64, aarch64. */
  readonly architecture: string;
  readonly cgroupDriver: string;
  /** Where the engine keeps the files of containers: overlay2, btrfs. */
  readonly storageDriver: string;
  /** The engine's containers are processes of this machine, not of a virtual or remote machine. */
  readonly sameHost: boolean;
  /** The engine is on this machine, or in a virtual machine on it that reaches it as `host.docker.internal`. */
  readonly reachesBack: boolean;
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** @throws ExecutorError unavailable */
export const createEngineFacts = (connection: Connection): (() => Promise<EngineFacts>) => {
  let known: { readonly losses: number; readonly facts: EngineFacts } | undefined;
  return async () => {
    const losses = connection.lossCount();
    if (known?.losses === losses) return known.facts;
    const info: unknown = await connection.call((docker) => docker.info());
    const endpoint = connection.endpoint();
    const text = (name: string) => String(readField(info, name) ?? '');
    const options = readField(info, 'SecurityOptions');
    const rootless = Array.isArray(options) && options.some((each) => String(each).includes('rootless'));
    const sameHost =
      endpoint?.kind === 'socket' &&
      process.platform === 'linux' &&
      !rootless &&
      text('Name') === hostname() &&
      text('KernelVersion') === release();
    const facts: EngineFacts = {
      architecture: text('Architecture'),
      cgroupDriver: text('CgroupDriver'),
      storageDriver: text('Driver'),
      // An engine whose init program is not installed reports `N/A`, and fails every container that asks for the
      // program.
      init: text('InitBinary') !== '' && readField(info, 'InitCommit', 'ID') !== 'N/A',
      cpuQuota: readField(info, 'CpuCfsQuota') !== false,
      socketPath: sameHost && endpoint?.kind === 'socket' ? endpoint.path : '/var/run/docker.sock',
      sameHost,
      reachesBack:
        !rootless && (endpoint?.kind === 'socket' || (endpoint?.kind === 'tcp' && isLoopback(endpoint.host))),
    };
    known = { losses, facts };
    return facts;
  };
};
