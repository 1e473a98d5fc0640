// Builds the engine's create options for the container of a run and for a worker's network container.
import path from 'node:path';
import type Dockerode from 'dockerode';
import type { RunFile, RunSpec } from '../../ports/executor.ts';
import type { NetworkSysctls } from '../engine/products.ts';
import type { OutputFiles } from '../outputs/output-files.ts';
import { ACTOR_LABEL, DISK_LABEL, EXECUTION_LABEL, INSTANCE_LABEL, KIND_LABEL, WORKER_LABEL } from './labels.ts';
import type { TarEntry } from './tar.ts';

/** Restrictions that are off by default, because existing images write to their own root file system as root. */
export interface RestrictionSettings {
  /** The image's files are read-only; only a small /tmp is writable. */
  readonly readOnlyRoot: boolean;
  /** `uid[:gid]`. If absent, the user that the image names. */
  readonly user?: string;
}

export interface EngineFeatures {
  readonly init: boolean;
  readonly cpuQuota: boolean;
  /** Path of the engine's own socket, as the engine sees it. */
  readonly socketPath: string;
  /** Process limit per user that a container must request. If absent, the engine's own default works. */
  readonly processesOfUser?: number;
  /** Kernel settings of each container that has its own network. */
  readonly networkSysctls?: NetworkSysctls;
}

/**
 * Docker's default capabilities without MKNOD (creates device nodes) and NET_RAW (forges packets to neighbours on the
 * bridge). The others affect only the container's own files, users and ports, and images that switch to another user
 * need them.
 */
export const HARMLESS_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

/** Folder for the files of a run if the image's root is read-only: an anonymous volume, removed with the container. */
const FILES_VOLUME = '/run/actorctl';
/**
 * The engine's own disk limit, as a multiple of the real limit. The disk watch ends a run with a reason; the engine
 * only catches runs that exceed this between two measurements.
 */
const DISK_QUOTA = 1.25;
/** The kernel's default hard limit. An engine that is itself restricted cannot grant a higher one. */
export const OPEN_FILES = 4096;

const ulimitsOf = ({ processesOfUser }: EngineFeatures) => {
  const limits = { nofile: OPEN_FILES, ...(processesOfUser !== undefined && { nproc: processesOfUser }) };
  return Object.entries(limits).map(([Name, most]) => ({ Name, Soft: most, Hard: most }));
};

const sysctlsOf = ({ networkSysctls }: EngineFeatures): Pick<Dockerode.HostConfig, 'Sysctls'> =>
  networkSysctls === undefined ? {} : { Sysctls: { ...networkSysctls } };

const pathInside = (file: RunFile, fence: RestrictionSettings): string =>
  fence.readOnlyRoot ? path.posix.join(FILES_VOLUME, path.posix.basename(file.path)) : file.path;

/** The files of a run, and the folder in which the engine unpacks them. */
export const filesOf = (
  spec: RunSpec,
  fence: RestrictionSettings,
): { readonly folder: string; readonly entries: readonly TarEntry[] } => {
  const folder = fence.readOnlyRoot ? FILES_VOLUME : '/';
  const entries = spec.files.map((file) => ({
    path: path.posix.relative(folder, pathInside(file, fence)),
    mode: 0o444,
    source: file.source,
  }));
  return { folder, entries };
};

/** The output files inside the container, by their variables. */
const OUTPUTS = {
  result: { variable: '_svc_result_file', path: '/_svc_result' },
  state: { variable: '_svc_state_file', path: '/_svc_state' },
} as const;

const outputsOf = (files: OutputFiles = { result: '' }) =>
  (['result', 'state'] as const).flatMap((kind) => {
    const source = files[kind];
    return source === undefined || source === '' ? [] : [{ ...OUTPUTS[kind], source }];
  });

const environmentOf = (spec: RunSpec, fence: RestrictionSettings, outputs: OutputFiles | undefined): string[] => [
  ...Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
  ...spec.files.map((file) => `${file.variable}=${pathInside(file, fence)}`),
  ...outputsOf(outputs).map(({ variable, path: inside }) => `${variable}=${inside}`),
];

const restrictionsOf = (fence: RestrictionSettings): Dockerode.HostConfig => ({
  Privileged: false,
  CapDrop: ['ALL'],
  CapAdd: [...HARMLESS_CAPABILITIES],
  SecurityOpt: ['no-new-privileges'],
  ...(fence.readOnlyRoot && { ReadonlyRootfs: true, Tmpfs: { '/tmp': 'rw,noexec,nosuid,size=64m' } }),
});

const labelsOf = (instanceId: string, kind: 'run' | 'pause'): Record<string, string> => ({
  [INSTANCE_LABEL]: instanceId,
  [KIND_LABEL]: kind,
});

const RESULT_SOCKETS = {
  modern: ['/_svc_results.sock'],
  legacy: ['/_svc_results.sock', '/_abaco_results.sock'],
} as const;

/** The only objects of this machine inside the run: what it can return results and its state with. */
const mountsOf = (
  { resultSocket, dialect = 'modern' }: RunSpec,
  outputs: OutputFiles | undefined,
): Dockerode.MountSettings[] => [
  ...(resultSocket === undefined
    ? []
    : RESULT_SOCKETS[dialect].map((Target) => ({
        ...{ Type: 'bind' as const, Source: resultSocket, Target, ReadOnly: true },
      }))),
  ...outputsOf(outputs).map(({ source, path: Target }) => ({ Type: 'bind' as const, Source: source, Target })),
];

/** What differs for a run with a shell. */
const shellOf = ({ shell }: RunSpec): Partial<Dockerode.ContainerCreateOptions> => {
  if (shell === undefined) return {};
  const [program = '', ...args] = shell.command;
  const streams = { OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true };
  return { Image: shell.image, Entrypoint: [program], Cmd: args, Tty: shell.terminal, ...streams };
};

/**
 * `network` is the engine's network mode; `cgroupParent` is set where the run's CPU time can be read.
 * @see docs/conformance/security.md#containers
 */
export const runContainer = (inputs: {
  readonly spec: RunSpec;
  readonly name: string;
  readonly instanceId: string;
  readonly network: string;
  /** Lines for /etc/hosts. Allowed only if the run has its own network. */
  readonly extraHosts: readonly string[];
  readonly features: EngineFeatures;
  readonly fence: RestrictionSettings;
  readonly cgroupParent?: string;
  /** The files that the run may write. Absent if it has none. */
  readonly outputs?: OutputFiles | undefined;
  /** True to make the engine limit the disk space of the run too. Most engines then refuse to create the container. */
  readonly diskQuota?: boolean;
}): Dockerode.ContainerCreateOptions => {
  const { spec, features, fence } = inputs;
  const { limits } = spec;
  const mounts = mountsOf(spec, inputs.outputs);
  return {
    name: inputs.name,
    Image: spec.image,
    ...shellOf(spec),
    Env: environmentOf(spec, fence, inputs.outputs),
    Labels: {
      ...labelsOf(inputs.instanceId, 'run'),
      [WORKER_LABEL]: spec.workerId,
      [ACTOR_LABEL]: spec.actorId,
      [EXECUTION_LABEL]: spec.executionId,
      ...(limits.diskBytes !== undefined && { [DISK_LABEL]: String(limits.diskBytes) }),
    },
    ...(fence.user !== undefined && { User: fence.user }),
    ...(fence.readOnlyRoot && spec.files.length > 0 && { Volumes: { [FILES_VOLUME]: {} } }),
    HostConfig: {
      NetworkMode: inputs.network,
      // A container that joins another container's network has that container's network settings.
      ...(!inputs.network.startsWith('container:') && sysctlsOf(features)),
      ...(inputs.extraHosts.length > 0 && { ExtraHosts: [...inputs.extraHosts] }),
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.pids,
      ...(limits.nanoCpus !== undefined && features.cpuQuota && { NanoCpus: limits.nanoCpus }),
      ...(limits.diskBytes !== undefined &&
        inputs.diskQuota === true && { StorageOpt: { size: String(Math.ceil(limits.diskBytes * DISK_QUOTA)) } }),
      Ulimits: ulimitsOf(features),
      // The engine stores the log too: after a daemon crash, the log is read again from the first byte.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '50m', 'max-file': '2' } },
      Init: features.init,
      ...(mounts.length > 0 && { Mounts: mounts }),
      ...(inputs.cgroupParent !== undefined && { CgroupParent: inputs.cgroupParent }),
      ...(spec.privileged
        ? { Privileged: true, Binds: [`${features.socketPath}:/var/run/docker.sock`] }
        : restrictionsOf(fence)),
    },
  };
};

export const networkContainer = (inputs: {
  readonly name: string;
  readonly image: string;
  readonly instanceId: string;
  readonly network: string;
  readonly extraHosts: readonly string[];
  readonly features: EngineFeatures;
}): Dockerode.ContainerCreateOptions => ({
  name: inputs.name,
  Image: inputs.image,
  Labels: labelsOf(inputs.instanceId, 'pause'),
  User: '65534:65534',
  // The program ignores SIGTERM, so an engine that shuts down would otherwise wait ten seconds for it.
  StopSignal: 'SIGKILL',
  HostConfig: {
    NetworkMode: inputs.network,
    ...sysctlsOf(inputs.features),
    ExtraHosts: [...inputs.extraHosts],
    Memory: 32 * 1024 * 1024,
    MemorySwap: 32 * 1024 * 1024,
    PidsLimit: 8,
    Ulimits: ulimitsOf(inputs.features),
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    ReadonlyRootfs: true,
    LogConfig: { Type: 'none', Config: {} },
    Init: false,
  },
});
