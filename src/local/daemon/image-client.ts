// Client of the daemon's management socket for images: build, inspect, run once.
import * as z from 'zod/mini';
import { streamAsker } from './management-stream.ts';

/** Inputs of an image build besides the folder. */
export interface BuildInput {
  readonly image: string;
  /** Absolute path of the folder that the image belongs to, without symbolic links. */
  readonly folder: string;
  /** Path relative to the folder. */
  readonly dockerfile: string;
  readonly args: Readonly<Record<string, string>>;
  readonly target?: string;
  readonly platform?: string;
  readonly noCache: boolean;
  readonly pull: boolean;
}

const built = z.object({
  image: z.string(),
  id: z.string(),
  /** Bytes. */
  size: z.number(),
  steps: z.number(),
  /** Number of build steps taken from the cache. */
  cached: z.number(),
});
export type Built = z.output<typeof built>;

const looked = z.object({
  found: z.boolean(),
  image: z.optional(
    z.object({
      id: z.string(),
      size: z.number(),
      os: z.string(),
      architecture: z.string(),
      engineArchitecture: z.string(),
      user: z.string(),
      command: z.array(z.string()),
      variables: z.array(z.string()),
      origin: z.optional(
        z.object({
          /** Absolute path of the folder that it was built for. */
          folder: z.string(),
          /** True if another instance built it, whose actors are not known. */
          isForeign: z.boolean(),
          /** Names of the actors of this instance whose image has this name. */
          users: z.array(z.string()),
        }),
      ),
    }),
  ),
});
export type ImageReport = NonNullable<z.output<typeof looked>['image']>;

const tried = z.object({
  exitCode: z.number(),
  timedOut: z.boolean(),
  outOfMemory: z.boolean(),
  outOfDisk: z.boolean(),
  runtimeMs: z.number(),
  log: z.string(),
});
export type TrialReport = z.output<typeof tried>;

/**
 * Image operations of the daemon. Every method throws CliFailure DAEMON_NOT_RUNNING, RUNTIME_UNAVAILABLE, CANCELLED.
 */
export interface ImageAccess {
  /**
   * Builds an image from a tar archive.
   * @param onText receives the output of the engine, line by line
   * @param until ends the build when it aborts (default: the signal of the command)
   * @throws CliFailure BUILD_FAILED with the message of the engine
   */
  readonly build: (
    input: BuildInput,
    archive: AsyncIterable<Uint8Array>,
    onText: (text: string) => void,
    until?: AbortSignal,
  ) => Promise<Built>;
  /** Properties of an image, or undefined if the engine does not have the image. */
  readonly look: (image: string) => Promise<ImageReport | undefined>;
  /** Runs an image once, without an actor. @throws CliFailure ACTOR_ERROR if the container cannot be started */
  readonly attempt: (
    input: {
      readonly image: string;
      readonly contentType: 'str' | 'application/json' | 'application/octet-stream';
      readonly environment: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
    },
    message: Uint8Array,
  ) => Promise<TrialReport>;
}

/** Creates the image operations of the daemon on this socket. */
export const createImageAccess = (socket: string, signal: AbortSignal): ImageAccess => {
  const ask = streamAsker(socket, signal);
  return {
    build: (input, archive, onText, until = signal) =>
      streamAsker(socket, until)('/manage/build', built, input, archive, onText),
    look: async (image) => (await ask('/manage/image', looked, { image })).image,
    attempt: (input, message) => ask('/manage/try', tried, input, [message]),
  };
};
