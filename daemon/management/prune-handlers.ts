// The owner's handlers that count and delete old records and unused images.
import type { BuiltImage } from '../domain/data/unused-images.ts';
import type { Handlers } from '../http/route-handler.ts';
import type { Builder } from '../ports/builder.ts';
import type { Clock } from '../ports/clock.ts';
import { ExecutorError } from '../ports/executor.ts';
import type { Logger } from '../ports/logger.ts';
import type { Pruning } from '../ports/pruning.ts';
import type { Store } from '../ports/store.ts';
import { longHandler } from './long-handler.ts';

interface Instants {
  /** The time limit on the instance's clock, for records. */
  readonly service: number;
  /** The time limit on the machine's clock, for images. */
  readonly machine: number;
}

const viewOf = ({ id, names, builtAs, bytes }: BuiltImage) => ({ id, name: names[0] ?? null, builtAs, bytes });

export const pruneHandlers = (deps: {
  readonly store: Store;
  readonly pruning: Pruning;
  readonly results: { sweep(): Promise<void> };
  readonly builder: Builder;
  readonly clock: Clock;
  readonly machine: Clock;
  readonly logger: Logger;
}): Handlers<'data.prunable' | 'data.prune'> => {
  const { store, pruning, results, builder, clock, machine, logger } = deps;

  const unusedBefore = (before: Instants, signal: AbortSignal): Promise<readonly BuiltImage[]> => {
    const images = new Set<string>();
    for (const { image } of store.all('actors')) images.add(image);
    return builder.unused({ images: [...images], before: before.machine }, signal);
  };

  /** Prunes images. Without an engine, the records are pruned all the same. */
  const withImages = async (work: () => Promise<readonly BuiltImage[]>) => {
    try {
      return { images: (await work()).map(viewOf) };
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      return { images: [], withoutImages: error.message };
    }
  };

  return {
    'data.prunable': longHandler('data.prunable', logger, async ({ input: { olderThanMs }, signal }) => {
      const ago = (now: number): number => Math.max(0, Math.floor(now - olderThanMs));
      const before = { service: ago(clock.now()), machine: ago(machine.now()) };
      const counted = await pruning.count(before.service, signal);
      return { before, ...counted, ...(await withImages(() => unusedBefore(before, signal))) };
    }),
    'data.prune': longHandler('data.prune', logger, async ({ input: { before, images }, signal }) => {
      await pruning.prune(before.service, signal);
      await results.sweep();
      const removed = await withImages(async () => {
        const unused = images.length === 0 ? [] : await unusedBefore(before, signal);
        return builder.remove(
          unused.filter(({ id }) => images.includes(id)),
          signal,
        );
      });
      logger.info({ before, images: removed.images }, 'pruned');
      return removed;
    }),
  };
};
