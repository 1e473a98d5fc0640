// Operations on images of the container engine: build, describe, run once.
import * as z from 'zod/mini';
import { longOperation } from './owner-operation.ts';

/** Longest run time of a test run, in milliseconds. */
const LONGEST_TRIAL = 60 * 60 * 1000;

const texts = z.record(z.string(), z.string());

const buildSpec = z.object({
  /** The reference of the new image: `hello:dev`. */
  image: z.string(),
  /** Absolute path of the folder that the image belongs to, without symbolic links. Stored as a label of the image. */
  folder: z.string(),
  /** Path of the Dockerfile inside the archive. */
  dockerfile: z.string(),
  args: texts,
  target: z.optional(z.string()),
  platform: z.optional(z.string()),
  noCache: z.boolean(),
  pull: z.boolean(),
});
export type BuildSpec = z.output<typeof buildSpec>;

const built = z.object({
  image: z.string(),
  id: z.string(),
  /** Bytes. */
  size: z.number(),
  /** Number of Dockerfile steps, and how many of them came from the cache. */
  steps: z.number(),
  cached: z.number(),
});
export type Built = z.output<typeof built>;

/** Description of an image, obtained without running it. */
const imageReport = z.object({
  id: z.string(),
  /** Bytes. */
  size: z.number(),
  os: z.string(),
  architecture: z.string(),
  /** Architecture of the engine, in the same notation. */
  engineArchitecture: z.string(),
  /** User as the image states it. Empty: root. */
  user: z.string(),
  /** Entrypoint and command in one list. */
  command: z.array(z.string()),
  /** Names of the environment variables. */
  variables: z.array(z.string()),
  /** The instance and folder that built the image under this name. Absent for an image of another program. */
  origin: z.optional(
    z.object({
      /** Absolute path of the folder from which it was built. */
      folder: z.string(),
      /** True if another instance built the image. The actors of that instance are unknown here. */
      isForeign: z.boolean(),
      /** Names of the actors of this instance whose image has this name. */
      users: z.array(z.string()),
    }),
  ),
});

export type ImageReport = z.output<typeof imageReport>;

const trial = z.object({
  image: z.string(),
  contentType: z.enum(['str', 'application/json', 'application/octet-stream']),
  environment: texts,
  /** True to run it as a stateful actor. */
  stateful: z.boolean(),
  /** Milliseconds after which the run is killed. */
  timeoutMs: z.number().check(z.minimum(1), z.maximum(LONGEST_TRIAL)),
});
export type Trial = z.output<typeof trial>;

const trialReport = z.object({
  exitCode: z.number(),
  timedOut: z.boolean(),
  outOfMemory: z.boolean(),
  outOfDisk: z.boolean(),
  runtimeMs: z.number(),
  /** Output of stdout and stderr, up to a limit. */
  log: z.string(),
  /** What the container engine does not enforce or provide. */
  warnings: z.array(z.string()),
});
export type TrialReport = z.output<typeof trialReport>;

export const imageOperations = {
  // The request bytes are a tar archive of the build context. The progress texts are the output of the engine.
  'images.build': longOperation({
    id: 'images.build',
    summary: 'Build an image from a folder',
    input: buildSpec,
    result: built,
  }),
  // The warnings name what the container engine does not enforce or provide.
  'images.show': longOperation({
    id: 'images.show',
    summary: 'Describe an image, if the engine has it',
    input: z.object({ image: z.string() }),
    result: z.object({ image: z.optional(imageReport), warnings: z.array(z.string()) }),
  }),
  // The request bytes are the message.
  'images.try': longOperation({
    id: 'images.try',
    summary: 'Run an image once, without an actor',
    input: trial,
    result: trialReport,
  }),
};
