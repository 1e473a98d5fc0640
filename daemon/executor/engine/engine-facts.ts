// Properties of the engine that affect runs. They are read again after the engine was unavailable.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { hostname, release } from 'node:os';
import path from 'node:path';
import type { EngineFeatures } from '../docker/container-spec.ts';
import { processorOf } from '../images/static-program.ts';
import { readField } from '../read-field.ts';
import { hasIsolatedPorts } from './bridge-ports.ts';
import type { Connection } from './connection.ts';
import { type EngineNamespace, engineNamespace } from './engine-namespace.ts';
import { factsOfProduct, type ProductFacts } from './products.ts';

export interface EngineFacts extends EngineFeatures, ProductFacts {
  /** The processor as the kernel names it: x86_64, aarch64. */
  readonly architecture: string;
  readonly cgroupDriver: string;
  /** The engine's storage driver for container files: overlay2, btrfs. */
  readonly storageDriver: string;
  /** True if images that the engine builds get a digest, as pulled ones do. This is so for containerd's image store. */
  readonly digestsBuilt: boolean;
  /** True if limits of memory and processes take effect. */
  readonly limitsResources: boolean;
  /**
   * True if the engine's containers are processes of this machine, not of a virtual or remote machine, and the engine may
   * read files of the daemon's user.
   */
  readonly sameHost: boolean;
  /** Why runs cannot use files and sockets of this machine, for the end of a sentence. Absent if they can. */
  readonly withoutFiles?: string;
  readonly rootless: boolean;
  /** True if the daemon separates the containers, because the engine does not. */
  readonly isolatesPorts: boolean;
  /** Of an engine without root that runs as the user of the daemon on this machine. */
  readonly namespace?: EngineNamespace;
  /**
   * True if containers reach this machine: the engine is on it and can be entered, or it is in a virtual machine on it,
   * where it has the name `host.docker.internal`.
   */
  readonly reachesBack: boolean;
}

/** The kernel's lowest default process limit. An engine with few rights can grant it too. */
const PROCESSES_OF_USER = 32_768;

/** Absent where root may not change these settings, as in a container with its own user namespace. */
const NEIGHBOUR_SETTINGS = '/proc/sys/net/ipv4/neigh/default/mcast_resolicit';

/**
 * A label on a mounted file would let the container write it, but no label lets it send to a socket of a process outside.
 * @see `man 8 container_selinux`
 */
const LABELLED = 'SELinux keeps containers from sockets and files of this machine';

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

const isOwn = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.uid === process.getuid?.();

const isWritable = (file: string): boolean => {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const hasProgram = (name: string): boolean =>
  [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'].some((folder) =>
    existsSync(path.join(folder, name)),
  );

const grantableProcesses = (): number => {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const hard = Number(/^Max processes\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? PROCESSES_OF_USER);
  return Math.min(hard, PROCESSES_OF_USER);
};

export const createEngineFacts = (
  connection: Pick<Connection, 'lossCount' | 'info' | 'answer'>,
): (() => Promise<EngineFacts>) => {
  const read = async (): Promise<EngineFacts> => {
    const info: unknown = await connection.info();
    const answer = connection.answer();
    const endpoint = answer?.endpoint;
    const { networkSysctls, ...product } = factsOfProduct(answer?.product ?? { name: 'Docker', version: '' });
    const text = (name: string) => String(readField(info, name) ?? '');
    const options = readField(info, 'SecurityOptions');
    const isNamed = Array.isArray(options) && options.some((each) => String(each).includes('rootless'));
    const rootless = isNamed || readField(info, 'Rootless') === true;
    const isHere = process.platform === 'linux' && text('Name') === hostname() && text('KernelVersion') === release();
    const sameHost = isHere && endpoint?.kind === 'socket' && (!rootless || isOwn(endpoint.path));
    const version1 = rootless && text('CgroupVersion') === '1';
    const namespace =
      sameHost && rootless ? engineNamespace(answer?.product.name ?? 'Docker', endpoint.path) : undefined;
    const isLabelled = Array.isArray(options) && options.some((each) => String(each) === 'name=selinux');
    const withoutFiles = sameHost
      ? isLabelled
        ? LABELLED
        : undefined
      : 'the container engine runs on another machine';
    const canIsolate = rootless ? namespace !== undefined && hasProgram('ip') : isWritable('/sys/class/net');
    const isolatesPorts =
      !product.separatesContainers &&
      sameHost &&
      hasIsolatedPorts(release()) &&
      processorOf(text('Architecture')) !== undefined &&
      canIsolate;
    return {
      ...product,
      isolatesPorts,
      ...(withoutFiles !== undefined && { withoutFiles }),
      rootless,
      ...(namespace !== undefined && { namespace }),
      ...(networkSysctls && !rootless && (!sameHost || existsSync(NEIGHBOUR_SETTINGS)) && { networkSysctls }),
      architecture: text('Architecture'),
      cgroupDriver: text('CgroupDriver'),
      storageDriver: text('Driver'),
      digestsBuilt: JSON.stringify(readField(info, 'DriverStatus') ?? '').includes('io.containerd.snapshotter'),
      // An engine whose init program is not installed reports `N/A`, and fails every container that requests the init
      // program.
      init:
        (text('InitBinary') !== '' && readField(info, 'InitCommit', 'ID') !== 'N/A') ||
        (sameHost && product.initProgram !== undefined && existsSync(product.initProgram)),
      // Podman without root reports these limits as supported, but the kernel does not delegate control groups of version
      // 1.
      cpuQuota: readField(info, 'CpuCfsQuota') !== false && !version1,
      limitsResources: readField(info, 'MemoryLimit') !== false && readField(info, 'PidsLimit') !== false && !version1,
      ...(product.needsProcessLimit && sameHost && { processesOfUser: grantableProcesses() }),
      socketPath: sameHost && endpoint?.kind === 'socket' ? endpoint.path : '/var/run/docker.sock',
      sameHost,
      reachesBack: rootless
        ? namespace !== undefined
        : isHere || endpoint?.kind === 'socket' || (endpoint?.kind === 'tcp' && isLoopback(endpoint.host)),
    };
  };
  let known: { readonly losses: number; readonly facts: Promise<EngineFacts> } | undefined;
  return () => {
    const losses = connection.lossCount();
    if (known?.losses === losses) return known.facts;
    // All callers share one request: Podman runs several programs for each, and continues after the request is aborted.
    const facts = read();
    known = { losses, facts };
    facts.catch(() => {
      if (known?.facts === facts) known = undefined;
    });
    return facts;
  };
};
