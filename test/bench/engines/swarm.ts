// Benchmark: executions per second on a swarm of one, two and three nodes, compared with bare replicated jobs.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type Docker from 'dockerode';
import { testImages } from '../../support/engine/docker.ts';
import { bringUpSwarm, whyNoSwarm } from '../../support/swarm/bring-up.ts';
import { engineOf, swarmLab } from '../../support/swarm/swarm.ts';
import { startDaemon } from '../daemon.ts';
import { inTurn, type Outcome, perSecond, type Row } from '../figures.ts';

const NODES = [1, 2, 3] as const;
/** Messages that are always pending. */
const WAITING = 8;
const ROUND_MS = 5_000;
const ROUNDS = 1;
/** Pause between two looks at a bare job. The daemon looks as often. */
const LOOK_MS = 100;

/** Lets this many nodes take work. */
const useNodes = async (manager: Docker, count: number): Promise<void> => {
  for (const { ID, Version, Spec, Description } of await manager.listNodes()) {
    const Availability = Number(Description.Hostname.slice('node'.length)) <= count ? 'active' : 'drain';
    await manager.getNode(ID).update({ _query: { version: Version.Index }, _body: { ...Spec, Availability } });
  }
};

/** Runs one replicated job to its end, reads its output and removes it. */
const bareJob = async (manager: Docker, Image: string): Promise<string> => {
  const options = {
    TaskTemplate: {
      ContainerSpec: { Image, Env: ['MSG=hello'] },
      RestartPolicy: { Condition: 'none' },
      LogDriver: { Name: 'local' },
    },
    Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } },
  };
  const { id } = (await manager.createService(options as Docker.CreateServiceOptions)) as unknown as { id: string };
  for (;;) {
    const [task] = await manager.listTasks({ filters: { service: [id] } });
    if (task?.Status.State === 'complete') break;
    await pause(LOOK_MS);
  }
  const service = manager.getService(id);
  const log = (await service.logs({ stdout: true, stderr: true, follow: false })) as unknown as Buffer;
  const out = new PassThrough();
  out.end(log);
  const output = await text(out);
  await service.remove();
  return output;
};

/** Executions per second by the number of nodes. */
export const swarm = async (): Promise<Outcome> => {
  const why = whyNoSwarm();
  if (why !== undefined) return { skipped: why };
  const made: (() => unknown)[] = [bringUpSwarm(Math.max(...NODES))];
  try {
    const { host, registry } = swarmLab();
    const manager = engineOf(1);
    const images = testImages(manager);
    const image = await images.busybox(['/bin/echo', 'got it']);
    const daemon = await startDaemon({
      DOCKER_HOST: host,
      ACTORCTL_ENGINE: 'swarm',
      ACTORCTL_REGISTRY: registry,
      ACTORCTL_MAX_WORKERS: String(WAITING),
    });
    made.push(daemon.stop);
    const { id = '' } = await daemon.call('POST', '/actors/v2', { image });
    await daemon.until(id, 'READY');
    const pinned = (await manager.getImage(image).inspect()).RepoDigests[0] ?? image;
    const rows: Row[] = [];
    for (const nodes of NODES) {
      await useNodes(manager, nodes);
      // Each node pulls the image before the measurement.
      await perSecond(WAITING, 1_500, () => daemon.execute(id));
      const of = await inTurn(
        {
          ours: () => perSecond(WAITING, ROUND_MS, () => daemon.execute(id)),
          bare: () => perSecond(WAITING, ROUND_MS, () => bareJob(manager, pinned)),
        },
        ROUNDS,
        0,
      );
      const what = `executions on a swarm, ${nodes} node${nodes === 1 ? '' : 's'}`;
      rows.push({ what, unit: '/s', ours: of.ours, against: 'bare replicated jobs', floor: of.bare });
    }
    return rows;
  } finally {
    // An error here must not hide the reason why the measurement failed.
    for (const undo of made.reverse()) await Promise.resolve(undo()).catch((error: unknown) => console.error(error));
  }
};
