// Opens the output of a container: attached before its start, or read from the engine's copy.
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExecutorError } from '../../ports/executor.ts';
import type { Connection } from '../engine/connection.ts';
import { toExecutorError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import { readField } from '../read-field.ts';
import { closeStream } from './log-stream.ts';

/** The output of a container from its first byte, if it was opened before the container started. */
export interface OpenOutput {
  readonly stream: NodeJS.ReadableStream;
  readonly losses: number;
  /** Text that the engine itself writes at the end of a stream that breaks. */
  readonly fault?: RegExp | undefined;
}

/**
 * Prepares the processes of a container without starting its command. Has no effect on an initialized container. Only
 * Podman has this call.
 * @see https://docs.podman.io/en/latest/_static/api.html#tag/containers/operation/ContainerInitLibpod
 */
export const initialize = (connection: Connection, ref: string): Promise<void> =>
  connection.call(
    (docker, abortSignal) =>
      new Promise<void>((resolve, reject) => {
        const statusCodes = { 204: true, 304: true, 404: 'no such container', 500: 'server error' };
        const path = `/v4.0.0/libpod/containers/${ref}/init`;
        docker.modem.dial({ path, method: 'POST', abortSignal, statusCodes }, (error: unknown) =>
          error ? reject(error) : resolve(),
        );
      }),
  );

/** For a run whose start was requested, if the engine does not know whether it has started. */
export const mayHaveRun = (): ExecutorError =>
  new ExecutorError('lost', 'the container engine went down while it started the container');

/** The first process of a container that the engine reports as initialized: the command has not been started. */
const waitingProcess = (connection: Connection, ref: string): Promise<number | undefined> =>
  connection.call(
    (docker, abortSignal) =>
      new Promise<number | undefined>((resolve, reject) => {
        const statusCodes = { 200: true, 404: 'no such container', 500: 'server error' };
        const path = `/v4.0.0/libpod/containers/${ref}/json`;
        docker.modem.dial({ path, method: 'GET', abortSignal, statusCodes }, (error: unknown, found: unknown) => {
          if (error) return reject(error);
          const isWaiting = readField(found, 'State', 'Status') === 'initialized';
          resolve(isWaiting ? Number(readField(found, 'State', 'Pid')) : undefined);
        });
      }),
  );

/**
 * Attaches to the output. The container must not have started.
 * @param firstProcess that process of a container that was initialized before. A Podman that is killed after it started the
 * command, and before it recorded this, reports the container as initialized while it runs, and as created after that. Then
 * a start would run the command again, and the output is not attached.
 * @throws ExecutorError lost if the command may have run, unavailable; the error of the client library
 */
export const attachOutput = async (
  connection: Connection,
  facts: () => Promise<EngineFacts>,
  ref: string,
  firstProcess?: number,
): Promise<OpenOutput> => {
  const losses = connection.lossCount();
  const { initBeforeAttach, attachFault } = await facts();
  if (initBeforeAttach && firstProcess === undefined) await initialize(connection, ref);
  // To attach initializes a container again that is not initialized.
  if (firstProcess !== undefined && (await waitingProcess(connection, ref)) !== firstProcess) throw mayHaveRun();
  // A response that comes too late must not leave a stream that nobody reads: it would block the container.
  const stream = await connection.call((docker, abortSignal) =>
    docker.getContainer(ref).attach({ stream: true, stdout: true, stderr: true, abortSignal }),
  );
  if (firstProcess !== undefined && (await waitingProcess(connection, ref)) !== firstProcess) {
    closeStream(stream);
    throw mayHaveRun();
  }
  return { stream, losses, fault: attachFault };
};

export type Retry = <T>(work: () => Promise<T>) => Promise<T>;

export interface OpenLog {
  readonly stream: Readable;
  /** Resolves when the engine has responded. @throws ExecutorError lost, unavailable when the executor is closed */
  readonly responded: Promise<void>;
}

/**
 * The engine's copy of the log from its first byte. The stream stays open while the container runs. It exists before the
 * engine responds, because Podman responds with the first output of the container, which may be hours later.
 * @param retry retries work that fails because the engine is unavailable
 */
export const openLog = (connection: Connection, ref: string, retry: Retry): OpenLog => {
  const stream = new PassThrough();
  const closing = new AbortController();
  stream.once('close', () => closing.abort());
  const ask = (): Promise<NodeJS.ReadableStream> =>
    connection.call(
      (docker, abortSignal) => docker.getContainer(ref).logs({ follow: true, stdout: true, stderr: true, abortSignal }),
      { timeoutMs: Number.POSITIVE_INFINITY, signal: closing.signal },
    );
  const responded = (async () => {
    try {
      const log = await retry(ask);
      void pipeline(log, stream).catch(() => undefined);
    } catch (error) {
      const failure = toExecutorError(error, 'lost', `cannot read the log of the container ${ref}`);
      stream.destroy(failure);
      throw failure;
    }
  })();
  responded.catch(() => undefined);
  return { stream, responded };
};
