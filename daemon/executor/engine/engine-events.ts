// The engine's event stream for the containers of one instance: the fastest way to learn that a container has ended, and
// the only reliable way to learn that it ran out of memory.
import type Dockerode from 'dockerode';
import { INSTANCE_LABEL } from '../docker/labels.ts';
import { closeStream } from '../docker/log-stream.ts';
import { parseJson, readField } from '../read-field.ts';
import { engineMessage, withTimeout } from './engine-error.ts';

export interface EventStream {
  close(): void;
}

/** What an event says of a container: it ended, or the kernel killed one of its processes for lack of memory. */
export type ContainerChange = 'die' | 'oom';

const OPEN_MS = 30_000;

/**
 * Opens the stream in the background. Calls `onOpen` when it is open, `onChange` for each change of a container, and
 * `onEnd` once when the stream is over or could not be opened, but not after `close`.
 */
export const openEvents = (inputs: {
  readonly docker: Promise<Dockerode>;
  readonly instanceId: string;
  readonly onOpen: () => void;
  readonly onChange: (name: string, change: ContainerChange) => void;
  readonly onEnd: (why: string) => void;
}): EventStream => {
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
          event: ['die', 'died', 'oom'],
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
        const event = parseJson(line);
        const name = readField(event, 'Actor', 'Attributes', 'name');
        const change = readField(event, 'Action');
        if (typeof name === 'string' && (change === 'die' || change === 'oom')) inputs.onChange(name, change);
      }
    });
    stream.on('error', (error: Error) => end(engineMessage(error)));
    stream.on('close', () => end('the connection was closed'));
    stream.on('end', () => end('the engine closed the connection'));
    inputs.onOpen();
  };
  open().catch((error: unknown) => end(engineMessage(error)));
  return {
    close: () => {
      over = true;
      stopping.abort();
    },
  };
};
