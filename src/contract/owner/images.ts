// Images on the engine of the daemon: build, describe, run once.
import * as z from 'zod/mini';
import { longOperation } from './owner-operation.ts';

/** Longest run time of a trial, in ms. */
const LONGEST_TRIAL = 60 * 60 * 1000;

const texts = z.record(z.string(), z.string());

const imageReport = z.object({
  id: z.string(),
  /** Bytes. */
  size: z.number(),
  os: z.string(),
  architecture: z.string(),
  engineArchitecture: z.string(),
  /** Empty: root. */
  user: z.string(),
  command: z.array(z.string()),
  /** Names of the environment variables. */
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
});

export const imageOperations = {
  // The bytes are a tar archive of the build context. The progress is the output of the engine.
  'images.build': longOperation({
    id: 'images.build',
    summary: 'Build an image from a folder',
    input: z.object({
      image: z.string(),
      /** Absolute path of the folder that the image belongs to, without symbolic links. */
      folder: z.string(),
      /** Path relative to the folder. */
      dockerfile: z.string(),
      args: texts,
      target: z.optional(z.string()),
      platform: z.optional(z.string()),
      noCache: z.boolean(),
      pull: z.boolean(),
    }),
    result: z.object({
      image: z.string(),
      id: z.string(),
      /** Bytes. */
      size: z.number(),
      steps: z.number(),
      /** Number of build steps taken from the cache. */
      cached: z.number(),
    }),
  }),
  'images.show': longOperation({
    id: 'images.show',
    summary: 'Describe an image, if the engine has it',
    input: z.object({ image: z.string() }),
    result: z.object({ image: z.optional(imageReport) }),
  }),
  // The bytes are the message.
  'images.try': longOperation({
    id: 'images.try',
    summary: 'Run an image once, without an actor',
    input: z.object({
      image: z.string(),
      contentType: z.enum(['str', 'application/json', 'application/octet-stream']),
      environment: texts,
      /** The run is killed after this time. */
      timeoutMs: z.number().check(z.minimum(1), z.maximum(LONGEST_TRIAL)),
    }),
    result: z.object({
      exitCode: z.number(),
      timedOut: z.boolean(),
      outOfMemory: z.boolean(),
      outOfDisk: z.boolean(),
      runtimeMs: z.number(),
      /** Output of both streams, up to a limit. */
      log: z.string(),
    }),
  }),
};
