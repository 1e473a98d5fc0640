// Builds the Swarm service of a run. Pure.
import type Dockerode from 'dockerode';
import { asFile } from '../../domain/actors/environment.ts';
import type { RunFile, RunSpec } from '../../ports/executor.ts';
import { HARMLESS_CAPABILITIES, OPEN_FILES } from '../docker/container-spec.ts';
import { ACTOR_LABEL, EXECUTION_LABEL, INSTANCE_LABEL, KIND_LABEL, WORKER_LABEL } from '../docker/labels.ts';
import { STOPPED } from './task-state.ts';

export interface MountedObject {
  readonly kind: 'config' | 'secret';
  readonly id: string;
  readonly name: string;
  /** Absolute path inside the run. */
  readonly path: string;
}

export interface Delivered {
  readonly objects: readonly MountedObject[];
  /** Paths of empty files: Swarm refuses an empty config. */
  readonly empty: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const MS = 1_000_000;

/** Includes the variables with secrets, because a service shows its variables to everyone who may inspect it. */
export const filesToDeliver = (
  spec: RunSpec,
): {
  readonly variables: Readonly<Record<string, string>>;
  readonly files: readonly (RunFile & { secret: boolean })[];
} => {
  const secret = new Set(spec.secretVariables ?? []);
  const moved = Object.entries(spec.environment).filter(([name]) => secret.has(name));
  const kept = Object.entries(spec.environment).filter(([name]) => !secret.has(name));
  return {
    variables: Object.fromEntries(kept),
    files: [
      ...spec.files.map((file) => ({ ...file, secret: secret.has(file.variable.replace(/_FILE$/, '')) })),
      ...moved.map(([name, value]) => ({ ...asFile(name, value), secret: true })),
    ],
  };
};

const asReference = ({ kind, id, name, path }: MountedObject) => {
  const File = { Name: path, UID: '0', GID: '0', Mode: 0o444 };
  return kind === 'secret' ? { File, SecretID: id, SecretName: name } : { File, ConfigID: id, ConfigName: name };
};

export const runLabels = (instanceId: string, spec: RunSpec): Record<string, string> => ({
  [INSTANCE_LABEL]: instanceId,
  [KIND_LABEL]: 'run',
  [WORKER_LABEL]: spec.workerId,
  [ACTOR_LABEL]: spec.actorId,
  [EXECUTION_LABEL]: spec.executionId,
});

/**
 * A value that Swarm expands to `text`. Swarm reads the values of variables as Go templates: it refuses a service with
 * a template that it cannot parse, and expands any other. None of the other fields used here is expanded with text from
 * users.
 */
const asTemplate = (text: string): string => text.replaceAll('{{', '{{"{{"}}');

/**
 * The service of a run, without a task: an update to one replica starts it. It is a replicated service that never
 * restarts its task, not a job, because a manager that restarts would run the failed task of a job again.
 * @see docs/adr/0020-a-swarm-run-is-a-service-that-never-restarts.md
 */
export const runService = (inputs: {
  readonly spec: RunSpec;
  readonly name: string;
  readonly instanceId: string;
  /** The image reference with its digest. */
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly delivered: Delivered;
  readonly init: boolean;
  /** True if the engine passes "no new privileges" on to the tasks (API 1.46). */
  readonly noNewPrivileges: boolean;
  readonly stopGraceMs: number;
}): Dockerode.CreateServiceOptions => {
  const { spec, delivered } = inputs;
  const { limits } = spec;
  const variables = { ...inputs.variables, ...delivered.variables };
  const ofKind = (kind: MountedObject['kind']) => delivered.objects.filter((each) => each.kind === kind);
  const container = {
    Image: inputs.image,
    // The task filter reads these labels; the service filter reads those of the service.
    Labels: runLabels(inputs.instanceId, spec),
    Env: Object.entries(variables).map(([name, value]) => `${name}=${asTemplate(value)}`),
    Init: inputs.init,
    StopGracePeriod: inputs.stopGraceMs * MS,
    // A health check of the image would make Swarm kill the task.
    HealthCheck: { Test: ['NONE'] },
    CapabilityDrop: ['ALL'],
    CapabilityAdd: [...HARMLESS_CAPABILITIES],
    Ulimits: [{ Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES }],
    ...(inputs.noNewPrivileges && { Privileges: { NoNewPrivileges: true } }),
    ...(delivered.empty.length > 0 && {
      Mounts: delivered.empty.map((Target) => ({ Type: 'bind' as const, Source: '/dev/null', Target, ReadOnly: true })),
    }),
    Configs: ofKind('config').map(asReference),
    Secrets: ofKind('secret').map(asReference),
  };
  const service = {
    Name: inputs.name,
    Labels: runLabels(inputs.instanceId, spec),
    TaskTemplate: {
      ContainerSpec: container,
      RestartPolicy: { Condition: 'none' },
      ...(spec.placement !== undefined && { Placement: { Constraints: [...spec.placement] } }),
      Resources: {
        Limits: {
          MemoryBytes: limits.memoryBytes,
          Pids: limits.pids,
          NanoCPUs: limits.nanoCpus,
        },
        // Swarm places a task only on a node with this much free.
        ...(limits.nanoCpus !== undefined && { Reservations: { NanoCPUs: limits.nanoCpus } }),
      },
      // The output must be readable whatever the node's default driver is, and `local` keeps bytes that are not text.
      LogDriver: { Name: 'local', Options: { 'max-size': '50m', 'max-file': '2' } },
    },
    Mode: { Replicated: { Replicas: 0 } },
  };
  return service as Dockerode.CreateServiceOptions;
};

export interface SwarmService {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly Spec: Dockerode.ServiceSpec;
}

interface RunServiceSpec {
  readonly Name?: string;
  readonly Labels?: Readonly<Record<string, string>>;
  readonly TaskTemplate?: {
    readonly ContainerSpec?: {
      readonly Image?: string;
      readonly Configs?: readonly { readonly ConfigID: string }[];
      readonly Secrets?: readonly { readonly SecretID: string }[];
    };
    readonly Placement?: { readonly Constraints?: readonly string[] };
    readonly Resources?: { readonly Reservations?: { readonly NanoCPUs?: number } };
  };
  readonly Mode?: { readonly Replicated?: { readonly Replicas?: number } };
}

export const specOf = ({ Spec }: SwarmService): RunServiceSpec => Spec as RunServiceSpec;

const constraintsOf = (service: SwarmService): readonly string[] =>
  specOf(service).TaskTemplate?.Placement?.Constraints ?? [];

export const hasTask = (service: SwarmService): boolean => (specOf(service).Mode?.Replicated?.Replicas ?? 0) > 0;

export const isStopped = (service: SwarmService): boolean => constraintsOf(service).includes(STOPPED);

const withConstraints = (service: SwarmService, Constraints: readonly string[]): object => ({
  ...service.Spec,
  TaskTemplate: { ...specOf(service).TaskTemplate, Placement: { Constraints } },
});

/** The update that starts a run, including one that was stopped before it started. */
export const startedSpec = (service: SwarmService): object => ({
  ...withConstraints(
    service,
    constraintsOf(service).filter((each) => each !== STOPPED),
  ),
  Mode: { Replicated: { Replicas: 1 } },
});

/**
 * The update that stops a run: Swarm replaces the task by one that no node can run, and keeps the old task for
 * inspection.
 */
export const stoppedSpec = (service: SwarmService): object =>
  withConstraints(service, [...constraintsOf(service), STOPPED]);

export const objectsOf = (service: SwarmService): readonly Pick<MountedObject, 'kind' | 'id'>[] => {
  const container = specOf(service).TaskTemplate?.ContainerSpec;
  return [
    ...(container?.Configs ?? []).map(({ ConfigID }) => ({ kind: 'config', id: ConfigID }) as const),
    ...(container?.Secrets ?? []).map(({ SecretID }) => ({ kind: 'secret', id: SecretID }) as const),
  ];
};
