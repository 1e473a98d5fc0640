// The engine's event stream for the containers of one instance: the fastest way to learn that a container ended, and the
// only way to learn that the engine stopped it or that it ran out of memory.
import type Dockerode from 'dockerode';
import { INSTANCE_LABEL } from '../docker/labels.ts';
import { closeStream } from '../docker/log-stream.ts';
import { parseJson, readField } from '../read-field.ts';
import { engineMessage, withTimeout } from './engine-error.ts';

export interface ContainerEvent {
  readonly name: string;
  /**
   * `oom`: the kernel killed one of the container's processes. `kill`: the engine sent a signal; this event precedes
   * the end that the signal causes.
   */
  readonly change: 'die' | 'oom' | 'kill';
}

export type ContainerListener = (event?: ContainerEvent) => void;

const OPEN_MS = 30_000;

const isChange = (action: unknown): action is ContainerEvent['change'] =>
  action === 'die' || action === 'oom' || action === 'kill';

export const parseEvent = (line: string): ContainerEvent | undefined => {
  const event = parseJson(line);
  const change = readField(event, 'Action');
  const name = readField(event, 'Actor', 'Attributes', 'name');
  return typeof name === 'string' && isChange(change) ? { name, change } : undefined;
};

/** Calls `onEnd` once when the stream is over or could not be opened, but not after `close`. */
const openEvents = (inputs: {
  readonly docker: Promise<Dockerode>;
  readonly instanceId: string;
  readonly onOpen: () => void;
  readonly onEvent: (event: ContainerEvent) => void;
  readonly onEnd: (why: string) => void;
}) => {
  const stopping = new AbortController();
  let over = false;
  const end = (why: string) => {
    if (over) return;
    over = true;
    stopping.abort();
    inputs.onEnd(why);
  };
  const open = async () => {
    const docker = await inputs.docker;
    const stream = await withTimeout(OPEN_MS, stopping.signal, (abortSignal) =>
      docker.getEvents({
        abortSignal,
        // Podman filters by its own name `died` and then reports Docker's `die`.
        filters: {
          type: ['container'],
          event: ['die', 'died', 'oom', 'kill'],
          label: [`${INSTANCE_LABEL}=${inputs.instanceId}`],
        },
      }),
    );
    stopping.signal.addEventListener('abort', () => closeStream(stream), { once: true });
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = parseEvent(line);
        if (event !== undefined) inputs.onEvent(event);
      }
    });
    stream.on('error', (error: Error) => end(engineMessage(error)));
    stream.on('close', () => end('the connection was closed'));
    stream.on('end', () => end('the engine closed the connection'));
    inputs.onOpen();
  };
  open().catch((error: unknown) => end(engineMessage(error)));
  return {
    close: (): void => {
      over = true;
      stopping.abort();
    },
  };
};

/** The event stream of the engine, and its listeners. */
export const createEventFeed = (instanceId: string, onLost: (why: string) => void) => {
  const listeners = new Set<ContainerListener>();
  let stream: ReturnType<typeof openEvents> | undefined;
  let openedAt = Number.NEGATIVE_INFINITY;
  const tell = (event?: ContainerEvent): void => {
    for (const listener of listeners) listener(event);
  };
  return {
    isOpen: () => stream !== undefined,
    openedAt: () => openedAt,
    open(docker: Promise<Dockerode>): void {
      openedAt = performance.now();
      const mine = openEvents({
        docker,
        instanceId,
        onEvent: tell,
        // Containers that ended before the stream opened sent no event, so every listener has to check.
        onOpen: () => tell(),
        onEnd: (why) => {
          if (stream === mine) onLost(why);
        },
      });
      stream = mine;
    },
    close(): void {
      stream?.close();
      stream = undefined;
    },
    add(listener: ContainerListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
