// What the engine says of itself, as far as runs depend on it; asked anew after the engine was away.
import { hostname, release } from 'node:os';
import type { EngineTraits } from '../docker/container-spec.ts';
import { readField } from '../read-field.ts';
import type { Connection } from './connection.ts';

export interface EngineFacts extends EngineTraits {
  /** As the kernel names it: x86_64, aarch64. */
  readonly architecture: string;
  readonly cgroupDriver: string;
  /** The engine's containers are processes of this very machine, not of a virtual one on it or of another. */
  readonly sameHost: boolean;
  /** The engine is on this machine, perhaps inside a virtual one that can reach it as `host.docker.internal`. */
  readonly reachesBack: boolean;
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** @throws ExecutorError unavailable */
export const createFacts = (connection: Connection): (() => Promise<EngineFacts>) => {
  let known: { readonly losses: number; readonly facts: EngineFacts } | undefined;
  return async () => {
    const losses = connection.losses();
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
      // An engine whose init program is not installed says so here, and fails every container that asks for it.
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
