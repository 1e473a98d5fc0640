// The data of an instance as a whole: write them into a file, delete what is old.
import * as z from 'zod/mini';
import { longOperation } from './owner-operation.ts';

const amount = z.object({ count: z.number(), bytes: z.number() });

const imageList = {
  images: z.array(
    z.object({
      id: z.string(),
      /** Null if a later build took its name. */
      name: z.nullable(z.string()),
      builtAs: z.string(),
      bytes: z.number(),
    }),
  ),
  /** Why images were left out: the engine does not answer. */
  withoutImages: z.optional(z.string()),
};

const instant = z.int().check(z.minimum(0));
/** What is older is deleted: by the clock of the instance, and images by that of the machine. ms since the epoch */
const before = z.object({ service: instant, machine: instant });

export const dataOperations = {
  // The progress is the part that is written, from 0 to 1.
  'data.archive': longOperation({
    id: 'data.archive',
    summary: 'Write all data, as they are at one instant, into a file',
    input: z.object({
      /** Name of a snapshot of this data folder. Absent: `file` is given. */
      snapshot: z.optional(z.string()),
      /** Absolute path of the file to create. */
      file: z.optional(z.string()),
      /** Includes the key of the secret configs. */
      keys: z.boolean(),
    }),
    result: z.object({
      file: z.string(),
      /** Bytes. */
      size: z.number(),
      /** The first file of the archive. */
      manifest: z.looseObject({}),
    }),
  }),
  'data.prunable': longOperation({
    id: 'data.prunable',
    summary: 'Count what a prune deletes',
    input: z.object({ olderThanMs: z.number().check(z.minimum(0)) }),
    result: z.object({
      before,
      /** With their logs and results. */
      executions: amount,
      events: amount,
      deliveries: amount,
      ...imageList,
    }),
  }),
  // Deletes in slices: if it fails, some of it may be deleted. An image that is used by now stays.
  'data.prune': longOperation({
    id: 'data.prune',
    summary: 'Delete old records and the images that nothing uses',
    input: z.object({
      before,
      /** Ids of the images that are removed if nothing uses them. */
      images: z.array(z.string()),
    }),
    result: z.object(imageList),
  }),
};
