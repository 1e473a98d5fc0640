// A crash test with containers, counted from outside: by the events of the engines that run them.
import type Docker from 'dockerode';
import { expect } from 'vitest';
import { EXECUTION_LABEL, INSTANCE_LABEL, KIND_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { type BuiltDaemon, until } from '../daemon/daemon.ts';
import { type CrashPlan, crashActors, runCrashTest } from './crash-test.ts';
import { actorIds, count, exitedOf, idle, onceInOrder, report } from './kill-count.ts';

interface ContainerEvent {
  readonly id: string;
  readonly action: string;
}

/** The containers of runs on some engines. */
export interface WatchedContainers {
  /** Starts and ends of the containers of an instance, as reported by the engines. */
  of(instance: string): readonly ContainerEvent[];
  /** The containers of an instance that exist now, by their kind. */
  containersOf(instance: string): Promise<readonly string[]>;
  stop(): void;
}

/** Longest time in which an engine reports what has happened. */
const REPORT_MS = 30_000;

/** Begins to collect the events of the engines. */
export const watchContainers = async (engines: readonly Docker[]): Promise<WatchedContainers> => {
  const seen: (ContainerEvent & { readonly instance: string })[] = [];
  const streams = await Promise.all(
    engines.map(async (engine) => {
      const stream = await engine.getEvents({
        filters: { type: ['container'], event: ['start', 'die', 'died'], label: [`${KIND_LABEL}=run`] },
      });
      let rest = '';
      stream.on('data', (chunk: Buffer) => {
        const lines = `${rest}${chunk}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((text) => text !== '')) {
          const { Action, Actor } = JSON.parse(line) as {
            Action: string;
            Actor: { Attributes: Record<string, string> };
          };
          const { [EXECUTION_LABEL]: id = '', [INSTANCE_LABEL]: instance = '' } = Actor.Attributes;
          seen.push({ id, action: Action, instance });
        }
      });
      return stream;
    }),
  );
  return {
    of: (instance) => seen.filter((event) => event.instance === instance),
    containersOf: async (instance) => {
      const filters = { label: [`${INSTANCE_LABEL}=${instance}`] };
      const lists = await Promise.all(engines.map((engine) => engine.listContainers({ all: true, filters })));
      return lists.flat().map(({ Labels }) => Labels[KIND_LABEL] ?? '');
    },
    stop: () => {
      for (const stream of streams) if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
    },
  };
};

/** Runs a crash test against a daemon and checks that no message is lost, none ran twice and each log is whole. */
export const runContainerCrashTest = async (
  name: string,
  daemon: BuiltDaemon,
  watched: WatchedContainers,
  plan: { readonly image: string; readonly crashes: CrashPlan; readonly hasOutputs: boolean },
): Promise<void> => {
  const begun = performance.now();
  const actors = await crashActors(daemon, plan.image);
  const sent = await runCrashTest(daemon, actors, plan.crashes);
  await idle(daemon);
  const instance = daemon.instanceId();
  await until(async () => (await watched.containersOf(instance)).every((kind) => kind === 'pause'));
  // The reports of the last run can arrive after its container is gone. Missing ones are counted below.
  const reports = (wanted: string) => watched.of(instance).filter(({ action }) => action === wanted);
  const exited = await exitedOf(daemon, actorIds(actors));
  const isReported = () =>
    reports('die').length >= reports('start').length &&
    exited.every((each) => reports('die').some(({ id }) => id === each));
  const deadline = performance.now() + REPORT_MS;
  await until(() => isReported() || performance.now() > deadline);
  const events = watched.of(instance);
  const starts = events.filter(({ action }) => action === 'start').map(({ id }) => id);
  const counted = await count(daemon, actors, sent, (id) => starts.filter((one) => one === id).length, plan);
  report(name, plan.crashes.kills, begun, sent, counted);
  expect(counted.faults).toEqual([]);
  expect(onceInOrder(starts, counted.inOrder)).toEqual(counted.inOrder);
  // The stateful actor never had two running containers.
  const own = events.filter(({ id }) => counted.inOrder.includes(id)).map(({ id, action }) => `${action} ${id}`);
  expect(own).toEqual(counted.inOrder.flatMap((id) => [`start ${id}`, `die ${id}`]));
};
