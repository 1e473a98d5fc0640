// The line to the container engine: finds it, notices when it goes and comes back, and bounds every call in time.
import type Dockerode from 'dockerode';
import { type EngineStatus, ExecutorError } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { type Answer, candidates, dial, type Endpoint, type EndpointInputs, findEngine } from './discovery.ts';
import { createClient } from './docker-client.ts';
import { bounded, isUnreachable, wordsOf } from './engine-error.ts';
import { type EventStream, openEvents } from './engine-events.ts';

/** Where an engine was found it is looked for again: changing engines under running executions would lose them. */
export interface Connection {
  /** Dials the engine, at most once a second. Never throws. */
  probe(signal: AbortSignal): Promise<EngineStatus>;
  /** Dials the engine now. Never throws. */
  look(): Promise<EngineStatus>;
  /**
   * One engine call, given up after `timeoutMs` (30 s unless told) or when `signal` fires.
   * Streams that it resolves to live on. What the engine answers is thrown as the client library throws it.
   * @throws ExecutorError unavailable
   */
  call<T>(work: (docker: Dockerode, signal: AbortSignal) => Promise<T>, options?: CallOptions): Promise<T>;
  /** Where the engine is; undefined as long as none was found. */
  endpoint(): Endpoint | undefined;
  /** Resolves once the engine answers. @throws ExecutorError unavailable when the connection is closed meanwhile */
  whenAvailable(): Promise<void>;
  /** How often the engine was lost sight of. */
  losses(): number;
  onAvailability(listener: (available: boolean) => void): () => void;
  /** Called with the name of each container of the instance that ended, and without one when any may have. */
  onDie(listener: (name?: string) => void): () => void;
  /** Fires when the connection is closed. */
  readonly closed: AbortSignal;
  close(): void;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const FRESH_MS = 1000;
const AGAIN_MS = 1000;
const CALL_MS = 30_000;

/** @param inputs.instanceId events of this instance's containers only are listened to */
export const createConnection = (inputs: {
  readonly where: EndpointInputs;
  readonly instanceId: string;
  readonly logger: Logger;
}): Connection => {
  const { logger } = inputs;
  const closing = new AbortController();
  const availability = new Set<(available: boolean) => void>();
  const deaths = new Set<(name?: string) => void>();
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
      if (answer) answer = await dial(answer.endpoint, closing.signal);
      else {
        const found = await findEngine(await candidates(inputs.where), closing.signal);
        if ('reason' in found) return { available: false, reason: found.reason };
        answer = found.answer;
      }
    } catch (error) {
      const reason = `the container engine at ${answer?.address ?? 'its address'} does not answer any more: ${wordsOf(error)}`;
      return { available: false, reason };
    }
    const { description, address, apiVersion } = answer;
    return { available: true, description, endpoint: address, ...(apiVersion !== undefined && { apiVersion }) };
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
    }
    if (next.available) {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
      // An engine that ends the stream as soon as it is opened is asked again in a while.
      if (wasUsed && !events && performance.now() - listenedAt < AGAIN_MS) later();
      else if (wasUsed && !events && answer) void use(answer.endpoint);
    }
    if (before === next.available) return;
    logger.info({ status: next }, next.available ? 'container engine found' : 'no container engine');
    if (before !== undefined || next.available) for (const listener of availability) listener(next.available);
  };

  const lose = () => {
    losses += 1;
    events?.close();
    events = undefined;
    // With it go the connections it kept: the first call after the engine's return would fail on one of them.
    client = undefined;
  };

  const listen = (docker: Promise<Dockerode>) => {
    listenedAt = performance.now();
    const mine = openEvents({
      docker,
      instanceId: inputs.instanceId,
      onDie: (name) => {
        for (const listener of deaths) listener(name);
      },
      // What ended while nobody listened is found by looking.
      onOpen: () => {
        for (const listener of deaths) listener();
      },
      onEnd: (why) => {
        if (events !== mine || closing.signal.aborted) return;
        logger.warn({ why }, 'the container engine ended its event stream');
        lose();
        // Looked at afresh, whatever is being asked already: that may have been answered before the engine went.
        void (probing ?? Promise.resolve()).then(refresh);
      },
    });
    events = mine;
  };

  const use = (endpoint: Endpoint): Promise<Dockerode> => {
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
    return use(answer.endpoint);
  };

  const fresh = (): Promise<EngineStatus> =>
    status && performance.now() - probedAt < FRESH_MS ? Promise.resolve(status) : refresh();

  return {
    closed: closing.signal,
    endpoint: () => answer?.endpoint,
    losses: () => losses,
    look: refresh,
    probe: async (signal) => {
      try {
        return await bounded(CALL_MS, signal, fresh);
      } catch (error) {
        return { available: false, reason: wordsOf(error) };
      }
    },
    call: async (work, options = {}) => {
      const docker = await current();
      try {
        return await bounded(options.timeoutMs ?? CALL_MS, options.signal, (signal) => work(docker, signal));
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        // Nothing but a dial tells a lost connection from a lost engine.
        await refresh();
        throw error instanceof ExecutorError
          ? error
          : new ExecutorError('unavailable', `the container engine does not answer: ${wordsOf(error)}`, {
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
    onDie: (listener) => {
      deaths.add(listener);
      return () => deaths.delete(listener);
    },
    close: () => {
      closing.abort();
      clearTimeout(again);
      events?.close();
    },
  };
};
