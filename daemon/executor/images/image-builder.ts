// Builds, inspects, lists and prunes images in the container engine.
import { Readable } from 'node:stream';
import type { BuildSpec } from '../../../src/contract/owner/images.ts';
import { imageFault, isFolderImage } from '../../domain/actors/image-reference.ts';
import type { Builder, NamedImage } from '../../ports/builder.ts';
import { ExecutorError } from '../../ports/executor.ts';
import { followProgress, inspectImage } from '../docker/images.ts';
import { closeStream } from '../docker/log-stream.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, isUnreachable, toExecutorError } from '../engine/engine-error.ts';
import { reachImage } from '../reach/program.ts';
import { readField, textList } from '../read-field.ts';
import { builtLabels, createBuiltImages, type Maker } from './built-images.ts';
import { pullAdvice } from './pull-advice.ts';
import { allLogins, hostOf, type LoginPlaces, type RegistryLogin, registryOf } from './registry-login.ts';

/** Time limit without any progress. It is long, because a step that compiles can be silent for long. */
const QUIET_MS = 30 * 60_000;

/** Maps kernel names of processors, as in `docker info`, to Go's names, which images use. */
const goArchitecture = (kernel: string): string =>
  ({ x86_64: 'amd64', aarch64: 'arm64', armv7l: 'arm', i686: '386' })[kernel] ?? kernel;

type Logins = Readonly<Record<string, RegistryLogin>>;

/**
 * Engines decode this header as URL-safe base64 with padding, and build without credentials if they cannot decode it.
 */
const headerOf = (logins: Logins): string =>
  Buffer.from(JSON.stringify(logins)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

const optionsOf = (spec: BuildSpec, maker: Maker, logins: Logins) => ({
  t: spec.image,
  dockerfile: spec.dockerfile,
  buildargs: { ...spec.args },
  labels: { ...builtLabels(maker, spec) },
  nocache: spec.noCache,
  pull: spec.pull,
  rm: true,
  forcerm: true,
  ...(Object.keys(logins).length > 0 && { registryconfig: { base64: headerOf(logins) } }),
  ...(spec.target !== undefined && { target: spec.target }),
  ...(spec.platform !== undefined && { platform: spec.platform }),
});

/** An archive that is already a stream is used as it is, because its creator reads the rest if the build ends early. */
const asStream = (archive: AsyncIterable<Uint8Array>): Readable =>
  archive instanceof Readable ? archive : Readable.from(archive, { objectMode: false });

const requireImageReference = (image: string): void => {
  const fault = isFolderImage(image) ? 'is a folder, which needs no build' : imageFault(image);
  if (fault !== undefined) throw new ExecutorError('image', `the image "${image}" ${fault}`);
};

/** Stands for a base image whose name is in a variable. */
const BASE = 'of a FROM line';

/** What a build step pulls. Undefined if it pulls nothing. */
const baseIn = (step: string): string | undefined => {
  const [, name] = /^step \d+\/\d+ ?: (?:FROM (?:--\S+ )*|(?:COPY|ADD) .*--from=)(\S+)/i.exec(step) ?? [];
  return name?.includes('$') ? BASE : name;
};

/** A list for a person who waits: an engine that is slower is reported as not responding. */
const LIST_MS = 10_000;

/** Images of this program itself: those of network containers and of the reach test. */
const isOwn = (name: string): boolean => /(?:^|\/)actorctl\/(?:pause|reach):/.test(name);

/** Newest first. @throws ExecutorError unavailable */
const namedImages = async (connection: Connection, signal: AbortSignal): Promise<readonly NamedImage[]> => {
  try {
    const found = await connection.call((docker, abortSignal) => docker.listImages({ abortSignal }), {
      timeoutMs: LIST_MS,
      signal,
    });
    return found
      .flatMap(({ RepoTags, Size, Created }) =>
        (RepoTags ?? []).map((name): NamedImage => ({ name, size: Size, createdAt: Created * 1_000 })),
      )
      .filter(({ name }) => !name.startsWith('<none>') && !name.endsWith('<none>') && !isOwn(name))
      .sort((one, other) => other.createdAt - one.createdAt || one.name.localeCompare(other.name));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toExecutorError(error, 'unavailable', 'cannot list the images');
  }
};

/** Errors of steps that pull, but are errors of the Dockerfile. */
const NO_PULL = /^(?:COPY|ADD) failed|copier: |invalid reference format|should not be blank/;

export const createBuilder = (
  connection: Connection,
  maker: Maker & {
    readonly logins: LoginPlaces;
  },
): Builder => {
  const run = async (
    spec: BuildSpec,
    archive: AsyncIterable<Uint8Array>,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<{ readonly steps: number; readonly cached: number }> => {
    const logins = await allLogins(maker.logins);
    const stream = await connection.call(
      // The library's types lack the encoded credentials.
      (docker, abortSignal): Promise<NodeJS.ReadableStream> =>
        Reflect.apply(docker.buildImage, docker, [
          asStream(archive),
          { ...optionsOf(spec, maker, logins), abortSignal },
        ]),
      { timeoutMs: QUIET_MS, signal },
    );
    let base: string | undefined;
    let steps = 0;
    let cached = 0;
    const take = (line: unknown) => {
      const text = readField(line, 'stream') ?? readField(line, 'status');
      if (typeof text !== 'string' || text.trim() === '') return;
      if (/^step \d+\/\d+/i.test(text)) {
        steps += 1;
        base = baseIn(text);
      }
      if (/^ ?--+> using cache/i.test(text)) cached += 1;
      onText(text.replace(/\n*$/, '\n'));
    };
    try {
      await followProgress(stream, take, { quietMs: QUIET_MS, signal });
      return { steps, cached };
    } catch (error) {
      const why = engineMessage(error);
      if (signal.aborted || isUnreachable(error) || base === undefined || NO_PULL.test(why)) throw error;
      const registry = registryOf(base);
      const found = Object.values(logins).some(({ serveraddress }) => hostOf(serveraddress) === registry);
      const what = `cannot build the image ${spec.image}: cannot pull the image ${base}`;
      throw new ExecutorError('pull', `${what}: ${why}${pullAdvice(why, base, { found })}`, { cause: error });
    } finally {
      closeStream(stream);
    }
  };

  const { originOf, ...builtImages } = createBuiltImages(connection, maker);
  return {
    ...builtImages,
    build: async (spec, archive, onText, signal) => {
      requireImageReference(spec.image);
      try {
        const { steps, cached } = await run(spec, archive, onText, signal);
        const found = await inspectImage(connection, spec.image, signal);
        if (!found) throw new Error('the engine reported success, but it does not have the image');
        return { image: spec.image, id: found.Id, size: found.Size, steps, cached };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toExecutorError(error, 'image', `cannot build the image ${spec.image}`);
      }
    },
    inspect: async (image, signal) => {
      requireImageReference(image);
      const found = await inspectImage(connection, image, signal).catch((error: unknown) => {
        throw toExecutorError(error, 'image', `cannot inspect the image ${image}`);
      });
      if (!found) return undefined;
      const origin = await originOf(image, found, signal);
      const info: unknown = await connection.call((docker) => docker.info(), { signal });
      return {
        id: found.Id,
        size: found.Size,
        os: found.Os,
        architecture: found.Architecture,
        engineArchitecture: goArchitecture(String(readField(info, 'Architecture') ?? '')),
        user: found.Config?.User ?? '',
        command: [...textList(found.Config?.Entrypoint), ...textList(found.Config?.Cmd)],
        variables: textList(found.Config?.Env).map((each) => each.split('=', 1)[0] ?? ''),
        origin,
      };
    },
    named: (signal) => namedImages(connection, signal),
    reachImage: () => reachImage(connection),
  };
};
