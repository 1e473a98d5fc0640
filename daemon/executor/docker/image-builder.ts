// Builds images in the container engine, and looks at them.
import { Readable } from 'node:stream';
import { imageFault, isFolderImage } from '../../domain/actors/image-reference.ts';
import type { Builder, BuildSpec } from '../../ports/builder.ts';
import { ExecutorError } from '../../ports/executor.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import { readField } from '../engine/read-field.ts';
import { followProgress } from './images.ts';
import { discard } from './log-stream.ts';

/** How long the engine may say nothing: a step that compiles is silent for long. */
const QUIET_MS = 30 * 60_000;
const INSPECT_MS = 30_000;

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : [];

/** Engines name an architecture as Go does, `docker info` as the kernel does. */
const goArchitecture = (kernel: string): string =>
  ({ x86_64: 'amd64', aarch64: 'arm64', armv7l: 'arm', i686: '386' })[kernel] ?? kernel;

const optionsOf = (spec: BuildSpec) => ({
  t: spec.image,
  dockerfile: spec.dockerfile,
  buildargs: { ...spec.args },
  nocache: spec.noCache,
  pull: spec.pull,
  rm: true,
  forcerm: true,
  ...(spec.target !== undefined && { target: spec.target }),
  ...(spec.platform !== undefined && { platform: spec.platform }),
});

/** What is a stream already is taken as it is: whoever made it wants to read the rest when the build ends early. */
const asStream = (archive: AsyncIterable<Uint8Array>): Readable =>
  archive instanceof Readable ? archive : Readable.from(archive, { objectMode: false });

const refuse = (image: string): void => {
  const fault = isFolderImage(image) ? 'is a folder, which needs no build' : imageFault(image);
  if (fault !== undefined) throw new ExecutorError('image', `the image "${image}" ${fault}`);
};

/** The builder of a container engine. */
export const createBuilder = (connection: Connection): Builder => {
  const inspectOrNothing = async (image: string, signal: AbortSignal) => {
    try {
      return await connection.call((docker) => docker.getImage(image).inspect(), { timeoutMs: INSPECT_MS, signal });
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw toExecutorError(error, 'image', `the image ${image} cannot be looked at`);
    }
  };

  const run = async (
    spec: BuildSpec,
    archive: AsyncIterable<Uint8Array>,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<{ readonly steps: number; readonly cached: number }> => {
    const stream = await connection.call(
      (docker, abortSignal) => docker.buildImage(asStream(archive), { ...optionsOf(spec), abortSignal }),
      { timeoutMs: QUIET_MS, signal },
    );
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), QUIET_MS);
    let steps = 0;
    let cached = 0;
    try {
      await followProgress(
        stream,
        (line) => {
          timer.refresh();
          const text = readField(line, 'stream') ?? readField(line, 'status');
          if (typeof text !== 'string' || text.trim() === '') return;
          if (/^step \d+\/\d+/i.test(text)) steps += 1;
          if (/^ ---> using cache/i.test(text)) cached += 1;
          onText(text.replace(/\n*$/, '\n'));
        },
        AbortSignal.any([signal, silence.signal]),
      );
      signal.throwIfAborted();
      if (silence.signal.aborted) throw new Error(`the engine said nothing for ${QUIET_MS / 60_000} minutes`);
      return { steps, cached };
    } finally {
      clearTimeout(timer);
      discard(stream);
    }
  };

  return {
    build: async (spec, archive, onText, signal) => {
      refuse(spec.image);
      try {
        const { steps, cached } = await run(spec, archive, onText, signal);
        const found = await inspectOrNothing(spec.image, signal);
        if (!found) throw new Error('the engine built it but does not have it');
        return { image: spec.image, id: found.Id, size: found.Size, steps, cached };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toExecutorError(error, 'image', `the image ${spec.image} cannot be built`);
      }
    },
    inspect: async (image, signal) => {
      refuse(image);
      const found = await inspectOrNothing(image, signal);
      if (!found) return undefined;
      const info: unknown = await connection.call((docker) => docker.info(), { signal });
      return {
        id: found.Id,
        size: found.Size,
        os: found.Os,
        architecture: found.Architecture,
        engineArchitecture: goArchitecture(String(readField(info, 'Architecture') ?? '')),
        user: found.Config?.User ?? '',
        command: [...listOf(found.Config?.Entrypoint), ...listOf(found.Config?.Cmd)],
        variables: listOf(found.Config?.Env).map((each) => each.split('=', 1)[0] ?? ''),
      };
    },
  };
};
