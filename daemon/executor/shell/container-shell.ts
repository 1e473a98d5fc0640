// Opens a shell in a new container that is like that of an execution.
import type { Socket } from 'node:net';
import { BASH_OR_SH } from '../../../src/contract/bash-or-sh.ts';
import { ExecutorError, type RunSpec } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ContainerShell, ShellRequest, ShellSize } from '../../ports/runs/shell.ts';
import type { Containers } from '../docker/container-create.ts';
import { initialize } from '../docker/container-output.ts';
import type { DiskWatch } from '../docker/disk-watch.ts';
import { factsOf, type ImageFacts, inspectImage } from '../docker/images.ts';
import { createDemux } from '../docker/log-stream.ts';
import type { WorkerNetworks } from '../docker/worker-network.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, toExecutorError, toStartError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import { readField } from '../read-field.ts';

const START_MS = 60_000;
/**
 * Attaches to all streams of a container that has not started. The request has no body: an engine could pass it on as
 * input of the program.
 */
const attach = (connection: Connection, ref: string, terminal: boolean): Promise<Socket> =>
  connection.call(
    (docker, abortSignal) =>
      new Promise((resolve, reject) => {
        const _query = { stream: true, stdin: true, stdout: true, ...(!terminal && { stderr: true }) };
        docker.modem.dial(
          {
            path: `/containers/${ref}/attach?`,
            method: 'POST',
            hijack: true,
            isStream: true,
            // The library ends a request only with a body or without this connection's input.
            file: Buffer.alloc(0),
            options: { _query },
            abortSignal,
            statusCodes: { 404: 'no such container', 500: 'server error' },
          },
          (error, socket) => (error ? reject(error) : resolve(socket as Socket)),
        );
      }),
  );

/** The pieces of output in order. Without a terminal, the engine marks each piece with its stream. */
async function* piecesOf(socket: Socket, terminal: boolean): ContainerShell['output'] & AsyncGenerator {
  let pieces: { stream: 'stdout' | 'stderr'; data: Uint8Array }[] = [];
  const push = createDemux((stream, data) => pieces.push({ stream, data }));
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      if (terminal) yield { stream: 'stdout' as const, data: chunk };
      else push(chunk);
      yield* pieces;
      pieces = [];
    }
  } catch {
    // The exit code says how the program ended.
  }
}

export const createContainerShells = (inputs: {
  readonly connection: Connection;
  readonly facts: () => Promise<EngineFacts>;
  readonly containers: Containers;
  readonly workerNetworks: WorkerNetworks;
  readonly diskWatch: DiskWatch;
  readonly logger: Logger;
}) => {
  const { connection, facts, containers, workerNetworks, diskWatch, logger } = inputs;

  /** @throws ExecutorError pull if the engine does not have the image */
  const imageFacts = async (image: string, signal: AbortSignal): Promise<ImageFacts> => {
    const found = await inspectImage(connection, image, signal);
    if (found !== undefined) return factsOf(found);
    throw new ExecutorError(
      'pull',
      `the container engine no longer has the image ${image} that the execution ran. Run the execution again, and open the shell in the new one`,
    );
  };

  /** @throws ExecutorError */
  const create = async (spec: RunSpec, image: ImageFacts, signal: AbortSignal): Promise<string> => {
    try {
      return await containers.createShell(spec, image, signal);
    } catch (error) {
      if (!(error instanceof ExecutorError) || error.kind !== 'never') throw error;
      throw new ExecutorError(
        'never',
        `the image has no program "${image.command[0]}". Name one that it has after "--"`,
      );
    }
  };

  /** @throws ExecutorError */
  return async (
    spec: RunSpec,
    { imageId = spec.image, command: given, size }: ShellRequest,
    signal: AbortSignal,
  ): Promise<ContainerShell> => {
    const terminal = size !== undefined;
    const image = await imageFacts(imageId, signal);
    const command = given.length === 0 ? BASH_OR_SH : given;
    const ref = await create({ ...spec, shell: { image: imageId, command, terminal } }, { ...image, command }, signal);
    const disk = spec.limits.diskBytes === undefined ? undefined : diskWatch.watch(ref, spec.limits.diskBytes);
    let socket: Socket | undefined;
    const resize = async ({ columns, rows }: ShellSize): Promise<void> => {
      await connection.call((docker) => docker.getContainer(ref).resize({ w: columns, h: rows }));
    };
    const remove = async (): Promise<void> => {
      socket?.destroy();
      disk?.stop();
      await containers.remove(ref);
      await workerNetworks.close(spec.workerId);
    };
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= remove().catch((error: unknown) =>
        logger.warn({ ref, why: engineMessage(error) }, 'the container of a shell is left until the next start'),
      );
      return closing;
    };
    try {
      if ((await facts()).initBeforeAttach) await initialize(connection, ref);
      const attached = await attach(connection, ref, terminal);
      socket = attached;
      attached.on('error', () => undefined);
      await connection.call((docker, abortSignal) => docker.getContainer(ref).start({ abortSignal }), {
        timeoutMs: START_MS,
        signal,
      });
      // A program that has ended has no terminal any more.
      if (size) await resize(size).catch(() => undefined);
      return {
        ran: image.command,
        output: piecesOf(attached, terminal),
        write: (data) =>
          new Promise((resolve) => {
            if (attached.writable) attached.write(data, () => resolve());
            else resolve();
          }),
        endInput: () => attached.end(),
        resize: (now) => resize(now).catch(() => undefined),
        exitCode: async () => {
          try {
            return Number(readField(await connection.call((docker) => docker.getContainer(ref).wait()), 'StatusCode'));
          } catch (error) {
            throw toExecutorError(error, 'lost', 'cannot read the exit code of the shell');
          }
        },
        close,
      };
    } catch (error) {
      await close();
      if (signal.aborted) throw signal.reason;
      throw toStartError(error, 'cannot start the shell');
    }
  };
};
