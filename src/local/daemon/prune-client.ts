// Client of the daemon's management socket for pruning: counts what is old, and deletes it.
import * as z from 'zod/mini';
import { streamAsker } from './management-stream.ts';

const amount = z.object({ count: z.number(), bytes: z.number() });

const imageList = {
  images: z.array(
    z.object({
      id: z.string(),
      /** Null if a later build took its name. */
      name: z.nullable(z.string()),
      /** The name that it was built under. */
      builtAs: z.string(),
      bytes: z.number(),
    }),
  ),
  /** Why images were left out: the engine does not answer. */
  withoutImages: z.optional(z.string()),
};

const prunable = z.object({
  /** What is older is deleted: by the clock of the instance, and images by that of the machine. ms since the epoch */
  before: z.object({ service: z.number(), machine: z.number() }),
  /** With their logs and results. */
  executions: amount,
  events: amount,
  deliveries: amount,
  ...imageList,
});
export type Prunable = z.output<typeof prunable>;

const pruned = z.object(imageList);

/**
 * Counts what a prune deletes. Changes nothing.
 * @throws CliFailure DAEMON_NOT_RUNNING, CANCELLED
 */
export const countPrunable = (socket: string, olderThanMs: number, signal: AbortSignal): Promise<Prunable> =>
  streamAsker(socket, signal)('/manage/prunable', prunable, { olderThanMs });

/**
 * Deletes what was counted. Returns the images that were removed; one that is used by now stays.
 * @throws CliFailure STORE_UNAVAILABLE, SHUTTING_DOWN, DAEMON_NOT_RUNNING, CANCELLED: some of it may be deleted then
 */
export const prune = (
  socket: string,
  { before, images }: Prunable,
  signal: AbortSignal,
): Promise<z.output<typeof pruned>> =>
  streamAsker(socket, signal)('/manage/prune', pruned, { before, images: images.map(({ id }) => id) });
