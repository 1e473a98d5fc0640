// Operations on all data of an instance: write a backup file, delete old records.
import * as z from 'zod/mini';
import { longOperation } from './owner-operation.ts';

const amount = z.object({ count: z.number(), bytes: z.number() });

const imageList = {
  images: z.array(
    z.object({
      id: z.string(),
      /** Null if a later build has taken over the name of this image. */
      name: z.nullable(z.string()),
      builtAs: z.string(),
      bytes: z.number(),
    }),
  ),
  /** Why images were left out: the engine does not respond. */
  withoutImages: z.optional(z.string()),
};

const instant = z.int().check(z.minimum(0));
/**
 * Older records are deleted. In milliseconds since the epoch: records by the instance clock, images by the system
 * clock.
 */
const before = z.object({ service: instant, machine: instant });

export const dataOperations = {
  // The progress is the written fraction, from 0 to 1.
  'data.archive': longOperation({
    id: 'data.archive',
    summary: 'Write a consistent copy of all data to a file',
    input: z.object({
      /** Name of a snapshot of this data folder. Absent: `file` is given. */
      snapshot: z.optional(z.string()),
      /** Absolute path of the file to create. */
      file: z.optional(z.string()),
      /** True to include the encryption key of secret configs. */
      keys: z.boolean(),
    }),
    result: z.object({
      file: z.string(),
      /** Bytes. */
      size: z.number(),
      /** The manifest, which is the first file of the archive. */
      manifest: z.looseObject({}),
    }),
  }),
  'data.prunable': longOperation({
    id: 'data.prunable',
    summary: 'Count the records that a prune would delete',
    input: z.object({ olderThanMs: z.number().check(z.minimum(0)) }),
    result: z.object({
      before,
      /** Executions, with their logs and results. */
      executions: amount,
      events: amount,
      deliveries: amount,
      ...imageList,
    }),
  }),
  // Deletes in batches: after a failure some records may already be deleted. An image that is in use again is not
  // removed.
  'data.prune': longOperation({
    id: 'data.prune',
    summary: 'Delete old records and unused images',
    input: z.object({
      before,
      /** Ids of images to remove if they are unused. */
      images: z.array(z.string()),
    }),
    result: z.object(imageList),
  }),
};
