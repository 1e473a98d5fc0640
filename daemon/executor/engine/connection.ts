// The connection to the container engine: finds it, detects when it goes away and returns, limits the time of a call.
import { setMaxListeners } from 'node:events';
import type Dockerode from 'dockerode';
import { type EngineStatus, type EngineUse, ExecutorError } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import {
  type Answer,
  candidates,
  type Endpoint,
  type EndpointInputs,
  findEngine,
  pingEngine,
  probeEngine,
} from './discovery.ts';
import { createClient } from './docker-client.ts';
import { engineMessage, isUnreachable, withTimeout } from './engine-error.ts';
import { type ContainerEvent, type EventStream, openEvents } from './engine-events.ts';

/** After the first contact, only the same engine is used: another engine would not have the running executions. */
export interface Connection {
  /** Probes the engine, at most once a second. Never throws. */
  probe(signal: AbortSignal): Promise<EngineStatus>;
  probeNow(): Promise<EngineStatus>;
  /**
   * Makes one call to the engine, aborted after `timeoutMs` (default 30 s) or when `signal` fires. A stream that the
   * call returns stays open. Refusals of the engine are thrown as errors of the client library.
   * @throws ExecutorError unavailable
   */
  call<T>(work: (docker: Dockerode, signal: AbortSignal) => Promise<T>, options?: CallOptions): Promise<T>;
  /** What the engine said of itself when it was last probed; undefined until one was found. */
  answer(): Answer | undefined;
  /** Resolves once the engine answers. @throws ExecutorError unavailable when the connection is closed meanwhile */
  whenAvailable(): Promise<void>;
  lossCount(): number;
  onAvailability(listener: (available: boolean) => void): () => void;
  /** Calls `listener` without arguments when events may have been missed. Returns the unsubscribe. */
  onContainerEvent(listener: ContainerListener): () => void;
  readonly closed: AbortSignal;
  close(): void;
}

export type ContainerListener = (event?: ContainerEvent) => void;

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const FRESH_MS = 1000;
const AGAIN_MS = 1000;
const CALL_MS = 30_000;

export const createConnection = (inputs: {
  readonly where: EndpointInputs;
  readonly instanceId: string;
  readonly use: EngineUse;
  readonly logger: Logger;
}): Connection => {
  const { logger } = inputs;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each place that is probed and each container that is followed adds one
  const availability = new Set<(available: boolean) => void>();
  const watchers = new Set<ContainerListener>();
  let waiting: (() => void)[] = [];
  let answer: Answer | undefined;
  let client: Promise<Dockerode> | undefined;
  let events: EventStream | undefined;
  let status: EngineStatus | undefined;
  let probedAt = Number.NEGATIVE_INFINITY;
  let probing: Promise<EngineStatus> | undefined;
  let again: NodeJS.Timeout | undefined;
  let losses = 0;
  let wasUsed = false;
  let listenedAt = Number.NEGATIVE_INFINITY;

  const dialOnce = async (): Promise<EngineStatus> => {
    try {
      if (answer && status?.available) await pingEngine(answer.endpoint, closing.signal);
      else if (answer) answer = await probeEngine(answer.endpoint, closing.signal);
      else {
        const found = await findEngine(await candidates(inputs.where), closing.signal);
        if ('reason' in found) return { available: false, reason: found.reason };
        answer = found.answer;
      }
    } catch (error) {
      const reason = `the container engine at ${answer?.address ?? 'its address'} no longer answers: ${engineMessage(error)}`;
      return { available: false, reason };
    }
    const { product, address, apiVersion } = answer;
    const description = `${product.name} ${product.version}`;
    return { available: true, description, endpoint: address, apiVersion };
  };

  const refresh = (): Promise<EngineStatus> => {
    probing ??= dialOnce().then((next) => {
      probing = undefined;
      probedAt = performance.now();
      if (!closing.signal.aborted) take(next);
      return next;
    });
    return probing;
  };

  const later = () => {
    if (again || closing.signal.aborted) return;
    again = setTimeout(() => {
      again = undefined;
      void refresh();
    }, AGAIN_MS);
    again.unref();
  };

  const take = (next: EngineStatus) => {
    const before = status?.available;
    status = next;
    if (!next.available) {
      if (before === true) lose();
      later();
    } else {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
      // If the engine ends the event stream right after opening it, the next attempt waits.
      if (wasUsed && !events && performance.now() - listenedAt < AGAIN_MS) later();
      else if (wasUsed && !events && answer) void connect(answer.endpoint);
    }
    if (before === next.available) return;
    logger.info({ status: next }, next.available ? 'container engine found' : 'no container engine');
    if (before !== undefined || next.available) for (const listener of availability) listener(next.available);
  };

  const lose = () => {
    losses += 1;
    events?.close();
    events = undefined;
    // The client's kept connections are broken too: the first call after the engine's return would fail on one of them.
    client = undefined;
  };

  const listen = (docker: Promise<Dockerode>) => {
    listenedAt = performance.now();
    const mine = openEvents({
      docker,
      instanceId: inputs.instanceId,
      onEvent: (event) => {
        for (const listener of watchers) listener(event);
      },
      // Containers that ended before the stream opened sent no event, so every listener has to check.
      onOpen: () => {
        for (const listener of watchers) listener();
      },
      onEnd: (why) => {
        if (events !== mine || closing.signal.aborted) return;
        logger.warn({ why }, 'the container engine ended its event stream');
        lose();
        // A probe that is already in progress may have been answered before the engine went away, so a new one follows
        // it.
        void (probing ?? Promise.resolve()).then(refresh);
      },
    });
    events = mine;
  };

  const connect = (endpoint: Endpoint): Promise<Dockerode> => {
    client ??= createClient(endpoint);
    if (!events) listen(client);
    return client;
  };

  const current = async (): Promise<Dockerode> => {
    if (closing.signal.aborted) throw new ExecutorError('unavailable', 'the Docker executor is closed');
    const known = status?.available ? status : await fresh();
    if (!known.available) throw new ExecutorError('unavailable', known.reason);
    if (!answer) throw new ExecutorError('unavailable', 'no container engine was found');
    wasUsed = true;
    const { endpoint } = answer;
    try {
      await inputs.use.record();
    } catch (cause) {
      throw new ExecutorError('unavailable', `cannot write to the data folder: ${engineMessage(cause)}`, { cause });
    }
    return connect(endpoint);
  };

  const fresh = (): Promise<EngineStatus> =>
    status && performance.now() - probedAt < FRESH_MS ? Promise.resolve(status) : refresh();

  return {
    closed: closing.signal,
    answer: () => answer,
    lossCount: () => losses,
    probeNow: refresh,
    probe: async (signal) => {
      try {
        return await withTimeout(CALL_MS, signal, fresh);
      } catch (error) {
        return { available: false, reason: engineMessage(error) };
      }
    },
    call: async (work, options = {}) => {
      const docker = await current();
      try {
        return await withTimeout(options.timeoutMs ?? CALL_MS, options.signal, (signal) => work(docker, signal));
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        // Only a probe can tell a broken connection from an unavailable engine.
        await refresh();
        throw error instanceof ExecutorError
          ? error
          : new ExecutorError('unavailable', `the container engine does not answer: ${engineMessage(error)}`, {
              cause: error,
            });
      }
    },
    whenAvailable: async () => {
      if (status?.available && (await refresh()).available) return;
      if (closing.signal.aborted) throw new ExecutorError('unavailable', 'the Docker executor is closed');
      later();
      await new Promise<void>((resolve, reject) => {
        const closed = () => reject(new ExecutorError('unavailable', 'the Docker executor was closed'));
        closing.signal.addEventListener('abort', closed, { once: true });
        waiting.push(() => {
          closing.signal.removeEventListener('abort', closed);
          resolve();
        });
      });
    },
    onAvailability: (listener) => {
      availability.add(listener);
      if (status === undefined) void refresh();
      return () => availability.delete(listener);
    },
    onContainerEvent: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    close: () => {
      closing.abort();
      clearTimeout(again);
      events?.close();
    },
  };
};
