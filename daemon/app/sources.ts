// Connects what new actors can be made from to the machine of the daemon.
import { IMAGES_MAX } from '../../src/contract/actors/sources.ts';
import { toWireTime } from '../../src/contract/wire.ts';
import type { EngineImages, Sources } from '../actors/dependencies.ts';
import type { Builder } from '../ports/builder.ts';
import { type Executor, ExecutorError } from '../ports/executor.ts';
import { writeExample } from './example.ts';
import { listFolder } from './list-folder.ts';

const readImages = async (
  { containers, builder }: Deps,
  signal: AbortSignal,
): Promise<Omit<EngineImages, 'engine'>> => {
  const status = await containers.probe(signal);
  if (!status.available) return { available: false, detail: status.reason, images: [], more: false };
  try {
    const all = await builder.named(signal);
    const images = all
      .slice(0, IMAGES_MAX)
      .map(({ name, size, createdAt }) => ({ name, size, created: toWireTime(createdAt) }));
    return { available: true, detail: status.description, images, more: all.length > images.length };
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    return { available: false, detail: error.message, images: [], more: false };
  }
};

interface Deps {
  /** Name of the executor of container images. */
  readonly engine: string;
  readonly containers: Pick<Executor, 'probe'>;
  readonly builder: Pick<Builder, 'named'>;
  readonly dataDir: string;
  /** Home folder of the daemon's user. */
  readonly home: string;
}

export const createSources = (deps: Deps): Sources => ({
  folders: (path) => listFolder(path ?? deps.home),
  writeExample: () => writeExample(deps.dataDir),
  images: async (signal) => ({ engine: deps.engine, ...(await readImages(deps, signal)) }),
});
