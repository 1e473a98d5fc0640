// The connection to the container engine: finds the engine, notices when it goes away and returns, and limits the time
// of calls.
import { setMaxListeners } from 'node:events';
import type Dockerode from 'dockerode';
import { type EngineStatus, type EngineUse, ExecutorError } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { type Answer, type Endpoint, type EndpointInputs, engineInfo } from './discovery.ts';
import { createClient } from './docker-client.ts';
import { engineMessage, isUnreachable, withTimeout } from './engine-error.ts';
import { type ContainerListener, createEventFeed } from './engine-events.ts';
import { AGAIN_MS, createProbes } from './probes.ts';

/** After the first contact, only the same engine is used: another engine would not have the running executions. */
export interface Connection {
  /** Probes the engine, at most once a second. Never throws. */
  probe(signal: AbortSignal): Promise<EngineStatus>;
  probeNow(): Promise<EngineStatus>;
  /**
   * Makes one call to the engine, aborted after `timeoutMs` (default 30 s) or when `signal` fires. A stream that the
   * call returns stays open. If the engine refuses, throws the error of the client library.
   * @throws ExecutorError unavailable
   */
  call<T>(work: (docker: Dockerode, signal: AbortSignal) => Promise<T>, options?: CallOptions): Promise<T>;
  /**
   * What the engine reports about itself and its machine. Does not count as a use of the engine.
   * @throws ExecutorError unavailable
   */
  info(): Promise<unknown>;
  /** What the engine reported about itself at the last probe. Undefined until an engine was found. */
  answer(): Answer | undefined;
  /** Resolves once the engine responds. @throws ExecutorError unavailable when the connection is closed meanwhile */
  whenAvailable(): Promise<void>;
  lossCount(): number;
  onAvailability(listener: (available: boolean) => void): () => void;
  /** Calls `listener` without arguments when events may have been missed. Returns the function to unsubscribe. */
  onContainerEvent(listener: ContainerListener): () => void;
  readonly closed: AbortSignal;
  close(): void;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const CALL_MS = 30_000;

const closed = (): ExecutorError => new ExecutorError('unavailable', 'the Docker executor is closed');

export const createConnection = (inputs: {
  readonly where: EndpointInputs;
  readonly instanceId: string;
  readonly use: EngineUse;
  readonly logger: Logger;
}): Connection => {
  const { logger } = inputs;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // Each probed location and each followed container adds one listener.
  const availability = new Set<(available: boolean) => void>();
  const waiting = new Set<() => void>();
  let client: Promise<Dockerode> | undefined;
  let losses = 0;
  let wasUsed = false;

  const lose = (): void => {
    losses += 1;
    feed.close();
    // The client's idle connections are broken too: the first call after the engine's return would fail on one of them.
    client = undefined;
  };

  const feed = createEventFeed(inputs.instanceId, (why) => {
    logger.warn({ why }, 'the container engine ended its event stream');
    lose();
    probes.anew();
  });

  const connect = (endpoint: Endpoint): Promise<Dockerode> => {
    client ??= createClient(endpoint);
    if (!feed.isOpen()) feed.open(client);
    return client;
  };

  const probes = createProbes(inputs.where, closing.signal, (next, before) => {
    const answer = probes.answer();
    if (!next.available) {
      if (before?.available === true) lose();
    } else {
      for (const wake of waiting) wake();
      // If the engine ends the event stream right after opening it, the next attempt waits.
      if (wasUsed && !feed.isOpen() && performance.now() - feed.openedAt() < AGAIN_MS) probes.later();
      else if (wasUsed && !feed.isOpen() && answer) void connect(answer.endpoint);
    }
    if (before?.available === next.available) return;
    logger.info({ status: next }, next.available ? 'container engine found' : 'no container engine');
    if (before !== undefined || next.available) for (const listener of availability) listener(next.available);
  });

  const found = async (): Promise<Endpoint> => {
    if (closing.signal.aborted) throw closed();
    const status = probes.status();
    const known = status?.available ? status : await probes.fresh();
    if (!known.available) throw new ExecutorError('unavailable', known.reason);
    const answer = probes.answer();
    if (!answer) throw new ExecutorError('unavailable', 'no container engine was found');
    return answer.endpoint;
  };

  const current = async (): Promise<Dockerode> => {
    const endpoint = await found();
    wasUsed = true;
    try {
      await inputs.use.record();
    } catch (cause) {
      throw new ExecutorError('unavailable', `cannot write to the data folder: ${engineMessage(cause)}`, { cause });
    }
    return connect(endpoint);
  };

  return {
    closed: closing.signal,
    answer: probes.answer,
    lossCount: () => losses,
    probeNow: probes.now,
    probe: async (signal) => {
      try {
        return await withTimeout(CALL_MS, signal, probes.fresh);
      } catch (error) {
        return { available: false, reason: engineMessage(error) };
      }
    },
    info: async () => {
      const endpoint = await found();
      try {
        return await engineInfo(endpoint, closing.signal);
      } catch (cause) {
        throw new ExecutorError(
          'unavailable',
          `the container engine does not describe itself: ${engineMessage(cause)}`,
          {
            cause,
          },
        );
      }
    },
    call: async (work, options = {}) => {
      const docker = await current();
      try {
        return await withTimeout(options.timeoutMs ?? CALL_MS, options.signal, (signal) => work(docker, signal));
      } catch (cause) {
        if (!isUnreachable(cause)) throw cause;
        // Only a probe can distinguish a broken connection from an unavailable engine.
        await probes.now();
        if (cause instanceof ExecutorError) throw cause;
        const message = `the container engine does not answer: ${engineMessage(cause)}`;
        throw new ExecutorError('unavailable', message, { cause });
      }
    },
    whenAvailable: async () => {
      if (probes.status()?.available && (await probes.now()).available) return;
      if (closing.signal.aborted) throw closed();
      probes.later();
      await new Promise<void>((resolve, reject) => {
        const wake = (): void => {
          waiting.delete(wake);
          closing.signal.removeEventListener('abort', stop);
          resolve();
        };
        const stop = (): void => {
          waiting.delete(wake);
          reject(closed());
        };
        closing.signal.addEventListener('abort', stop, { once: true });
        waiting.add(wake);
      });
    },
    onAvailability: (listener) => {
      availability.add(listener);
      if (probes.status() === undefined) void probes.now();
      return () => availability.delete(listener);
    },
    onContainerEvent: feed.add,
    close: () => {
      closing.abort();
      feed.close();
    },
  };
};
