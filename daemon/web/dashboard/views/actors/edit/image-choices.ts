// The images that the form of an actor offers.
import { ask } from '../../../api/call.ts';
import { ApiFailure, formatFailure } from '../../../api/failure.ts';
import { formatBytes } from '../../../parts/bytes.ts';

export interface ImageChoices {
  readonly images: readonly { readonly name: string; readonly about: string }[];
  /** True if the user may list images and folders, and register folders. */
  readonly isAdmin: boolean;
  /** Why images are missing from the list. */
  readonly problem?: string;
}

/** Images that actors use already. */
const readUsed = async (signal: AbortSignal): Promise<readonly string[]> => {
  const actors = await ask('GET /actors/v2', { signal });
  return Array.isArray(actors) ? actors.map(({ image }) => image) : [];
};

/** The images of the engine. Only admins may list them; others get an empty list. */
const readEngine = async (signal: AbortSignal): Promise<ImageChoices> => {
  try {
    const { available, detail, images, more } = await ask('GET /actors/v2/admin/images', { signal });
    const problem = available
      ? more && `The list has only the newest ${images.length} images of the engine.`
      : `The list has no images of the container engine: ${detail}`;
    return {
      isAdmin: true,
      images: images.map(({ name, size }) => ({ name, about: formatBytes(size) })),
      ...(problem !== false && { problem }),
    };
  } catch (error) {
    if (signal.aborted || (error instanceof ApiFailure && error.status === 0)) throw error;
    if (error instanceof ApiFailure && error.status === 403) return { images: [], isAdmin: false };
    return {
      images: [],
      isAdmin: true,
      problem: `The list has no images of the container engine: ${formatFailure(error)}`,
    };
  }
};

export const readImageChoices = async (signal: AbortSignal): Promise<ImageChoices> => {
  const [used, engine] = await Promise.all([readUsed(signal), readEngine(signal)]);
  const known = new Set(engine.images.map(({ name }) => name));
  const others = [...new Set(used)].filter((name) => !known.has(name)).toSorted();
  return { ...engine, images: [...others.map((name) => ({ name, about: 'used by an actor' })), ...engine.images] };
};
