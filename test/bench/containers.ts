// Benchmark: executions in containers, latency and rate, compared with the bare engine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import Docker from 'dockerode';
import { dockerRequirement, testImages } from '../support/engine/docker.ts';
import { runContainer } from './baselines/bare-container.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { inTurn, type Outcome, perSecond, type Row, timed } from './figures.ts';

const LINE = 'got it\n';
/** How many messages are pending. */
const SIDES = [1, 4, 8] as const;

interface Bench {
  readonly daemon: BenchDaemon;
  readonly actorId: string;
  readonly image: string;
  /**
   * Runs one container from create to its complete output and exit code. The container is removed in the background.
   */
  readonly bare: (network: string) => Promise<string>;
  /** A NetworkMode value: the network namespace of a container that stays running. */
  readonly joining: string;
  /** A bridge network of the benchmark's own, like the one of the daemon. */
  readonly bridge: string;
}

/** Creates an actor on the daemon and the same image for the bare runs, and removes everything after `work`. */
const withBench = async (
  environment: NodeJS.ProcessEnv,
  work: (bench: Bench) => Promise<readonly Row[]>,
): Promise<Outcome> => {
  const found = await dockerRequirement();
  if (!found.available) return { skipped: found.reason };
  const docker = new Docker();
  const images = testImages(docker);
  const removals: Promise<unknown>[] = [];
  const bridge = `actorctl-bench-${process.pid}`;
  /** The cleanup steps so far, run in reverse order. */
  const made: (() => Promise<unknown>)[] = [images.remove];
  try {
    const image = await images.busybox(['/bin/echo', LINE.trim()]);
    const pauseImage = await images.busybox(['/bin/sleep', '600']);
    const network = await docker.createNetwork({ Name: bridge, Driver: 'bridge' });
    made.push(() => network.remove());
    const pauseContainer = await docker.createContainer({ Image: pauseImage, HostConfig: { NetworkMode: bridge } });
    made.push(() => pauseContainer.remove({ force: true }));
    await pauseContainer.start();
    made.push(() => Promise.allSettled(removals));
    const daemon = await startDaemon(environment);
    made.push(daemon.stop);
    const { id: actorId = '' } = await daemon.call('POST', '/actors/v2', { image });
    await daemon.until(actorId, 'READY');
    const joining = `container:${pauseContainer.id}`;
    return await work({
      daemon,
      actorId,
      image,
      joining,
      bridge,
      bare: (name) => runContainer(docker, image, { NetworkMode: name }, removals),
    });
  } finally {
    // An error here must not hide the reason why the measurement failed.
    for (const remove of made.reverse()) await remove().catch((error: unknown) => console.error(error));
  }
};

const dockerRun = async (image: string, network: string): Promise<void> => {
  const args = ['run', '--rm', '--network', network, '-e', 'MSG=hello', image];
  const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`docker run ended with ${code}`);
};

/** True if the docker client is installed. Without it the table omits its row. */
const hasDockerClient = async (): Promise<boolean> => {
  const child = spawn('docker', ['version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
};

/** Time from the POST of a message until its final record and its log have been read. */
export const latency = (): Promise<Outcome> =>
  withBench({}, async ({ daemon, actorId, image, bare, joining, bridge }) => {
    const client = await hasDockerClient();
    const of = await inTurn(
      {
        ours: () => timed(() => daemon.execute(actorId)),
        joining: () => timed(() => bare(joining)),
        ...(client && { run: () => timed(() => dockerRun(image, bridge)) }),
      } as Record<'ours' | 'joining' | 'run', () => Promise<number>>,
      25,
      3,
    );
    const row = { what: 'message → COMPLETE, container', unit: 'ms', ours: of.ours } as const;
    return [
      { ...row, against: 'bare dockerode, joining', baseline: of.joining, goal: { of: 'ratio', atMost: 1.2 } },
      ...(client
        ? [{ ...row, against: 'docker run --rm', baseline: of.run, goal: { of: 'ratio', atMost: 0.4 } } as const]
        : []),
    ];
  });

const THROUGHPUT_MS = 3_000;
const THROUGHPUT_ROUNDS = 5;

/** Executions per second while a fixed number of messages is always pending. */
export const throughput = (): Promise<Outcome> =>
  withBench({ ACTORCTL_MAX_WORKERS: String(Math.max(...SIDES)) }, async ({ daemon, actorId, bare, joining }) => {
    const rows: Row[] = [];
    // Every worker creates its network before the measurement.
    await perSecond(Math.max(...SIDES), 1_500, () => daemon.execute(actorId));
    for (const side of SIDES) {
      const of = await inTurn(
        {
          ours: () => perSecond(side, THROUGHPUT_MS, () => daemon.execute(actorId)),
          baseline: () => perSecond(side, THROUGHPUT_MS, () => bare(joining)),
        },
        THROUGHPUT_ROUNDS,
        0,
      );
      rows.push({
        what: `executions, ${side} waiting`,
        unit: '/s',
        ...of,
        against: 'bare dockerode, joining',
        goal: { of: 'ratio', atLeast: 0.8 },
      });
    }
    return rows;
  });
