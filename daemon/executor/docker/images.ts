// Pulls images and reads which command they run.
import type Dockerode from 'dockerode';
import { imageFault } from '../../domain/actors/image-reference.ts';
import { ExecutorError } from '../../ports/executor.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, isUnreachable, statusOf, toExecutorError } from '../engine/engine-error.ts';
import { whileChanging } from '../engine/inspect.ts';
import { pullAdvice } from '../images/pull-advice.ts';
import { imageLogin, type LoginPlaces, type RegistryLogin } from '../images/registry-login.ts';
import { parseJson, readField, textList } from '../read-field.ts';
import { closeStream } from './log-stream.ts';

export interface ImageFacts {
  readonly id: string;
  /** Entrypoint and command as one list. */
  readonly command: readonly string[];
  readonly workingFolder: string;
  /** The folders of PATH, in which a command without a slash is looked up. */
  readonly searchPath: readonly string[];
}

export type Images = ReturnType<typeof createImages>;

const INSPECT_MS = 30_000;
/** Time limit for a pull without any progress. */
const PULL_QUIET_MS = 10 * 60_000;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Converts the engine's progress lines to a text about the whole pull. Undefined if the text has not changed. */
export const createPullProgress = (image: string): ((line: unknown) => string | undefined) => {
  const layers = new Map<string, { current: number; total: number; done: boolean }>();
  let lastText = '';
  return (line) => {
    const id = readField(line, 'id');
    const status = readField(line, 'status');
    if (typeof id !== 'string' || typeof status !== 'string' || status.startsWith('Pulling from')) return undefined;
    const layer = layers.get(id) ?? { current: 0, total: 0, done: false };
    layers.set(id, layer);
    if (status === 'Downloading') {
      layer.current = Number(readField(line, 'progressDetail', 'current') ?? layer.current);
      layer.total = Number(readField(line, 'progressDetail', 'total') ?? layer.total);
    }
    if (status === 'Pull complete' || status === 'Already exists') layer.done = true;
    const all = [...layers.values()];
    const megabytes = (pick: 'current' | 'total') => Math.round(all.reduce((sum, each) => sum + each[pick], 0) / 1e6);
    const done = all.filter((each) => each.done).length;
    const text = `pulling ${image}: ${done} of ${all.length} layers, ${megabytes('current')} of ${megabytes('total')} MB`;
    if (text === lastText) return undefined;
    lastText = text;
    return text;
  };
};

const readLines = async (stream: NodeJS.ReadableStream, take: (line: unknown) => void, signal: AbortSignal) => {
  const stop = () => closeStream(stream);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let rest = '';
    for await (const chunk of stream) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(parseJson(line));
    }
    take(parseJson(rest));
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/**
 * Reads an engine's progress stream to its end. Gives up if no line arrives for `quietMs`, or when the signal fires.
 */
export const followProgress = async (
  stream: NodeJS.ReadableStream,
  onLine: (line: unknown) => void,
  { quietMs, signal }: { readonly quietMs: number; readonly signal?: AbortSignal },
): Promise<void> => {
  let failure: string | undefined;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), quietMs);
  const take = (line: unknown) => {
    timer.refresh();
    const error = readField(line, 'errorDetail', 'message') ?? readField(line, 'error');
    if (typeof error === 'string') failure ??= error;
    onLine(line);
  };
  try {
    await readLines(stream, take, AbortSignal.any(signal === undefined ? [silence.signal] : [signal, silence.signal]));
  } finally {
    clearTimeout(timer);
  }
  if (failure !== undefined) throw new Error(failure);
  signal?.throwIfAborted();
  if (silence.signal.aborted) throw new Error(`the engine sent no progress for ${quietMs / 60_000} minutes`);
};

export const inspectImage = async (
  connection: Pick<Connection, 'call'>,
  image: string,
  signal: AbortSignal,
): Promise<Dockerode.ImageInspectInfo | undefined> => {
  const inspect = () =>
    connection.call((docker) => docker.getImage(image).inspect(), { timeoutMs: INSPECT_MS, signal });
  try {
    return await whileChanging(inspect, signal);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
};

export const factsOf = ({ Id, Config }: Dockerode.ImageInspectInfo): ImageFacts => {
  const search = textList(Config?.Env).find((each) => each.startsWith('PATH='));
  return {
    id: Id,
    command: [...textList(Config?.Entrypoint), ...textList(Config?.Cmd)],
    workingFolder: Config?.WorkingDir || '/',
    searchPath: (search?.slice('PATH='.length) || DEFAULT_PATH).split(':'),
  };
};

export const createImages = (connection: Connection, places: LoginPlaces) => {
  const pullWith = async (
    authconfig: RegistryLogin | undefined,
    image: string,
    onProgress: (text: string) => void,
    signal: AbortSignal,
  ) => {
    const progress = createPullProgress(image);
    onProgress(`pulling ${image}`);
    const stream = await connection.call(
      // The library's types lack the credentials of a pull without a callback.
      (docker, abortSignal): Promise<NodeJS.ReadableStream> =>
        Reflect.apply(docker.pull, docker, [image, { abortSignal }, undefined, authconfig]),
      { timeoutMs: PULL_QUIET_MS, signal },
    );
    const take = (line: unknown) => {
      const text = progress(line);
      if (text !== undefined) onProgress(text);
    };
    await followProgress(stream, take, { quietMs: PULL_QUIET_MS, signal });
  };

  const pull = async (image: string, onProgress: (text: string) => void, signal: AbortSignal) => {
    let trouble: string | undefined;
    // Most images need no credentials, so a credential helper that fails is named only if the registry refuses.
    const authconfig = await imageLogin(image, places).catch((error: unknown) => {
      trouble = engineMessage(error);
      return undefined;
    });
    try {
      await pullWith(authconfig, image, onProgress, signal);
    } catch (error) {
      if (signal.aborted || isUnreachable(error)) throw error;
      const why = engineMessage(error);
      const advice = pullAdvice(why, image, { found: authconfig !== undefined, trouble });
      throw new ExecutorError('pull', `cannot pull the image ${image}: ${why}${advice}`, { cause: error });
    }
  };

  return {
    /** Pulls the image if it is missing. @throws ExecutorError image, pull, unavailable; the reason of `signal` */
    prepare: async (image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<ImageFacts> => {
      const fault = imageFault(image);
      if (fault !== undefined) throw new ExecutorError('image', `the image "${image}" ${fault}`);
      try {
        let found = await inspectImage(connection, image, signal);
        if (!found) {
          await pull(image, onProgress, signal);
          found = await inspectImage(connection, image, signal);
        }
        if (!found) throw new Error('the engine reported success, but it does not have the image');
        const facts = factsOf(found);
        if (facts.command.length === 0)
          throw new ExecutorError(
            'image',
            `the image ${image} has nothing to run: it has neither a command nor an entrypoint. Add CMD or ENTRYPOINT to it.`,
          );
        return facts;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toExecutorError(error, 'image', `cannot prepare the image ${image}`);
      }
    },
  };
};
