// The images that this program built: their labels, removal, and which of them are unused.
import type Dockerode from 'dockerode';
import { isOwnImage, wholeReference } from '../../../src/local/project/image-name.ts';
import { isFolderImage } from '../../domain/actors/image-reference.ts';
import { type BuiltImage, TEMPORARY, unusedImages } from '../../domain/data/unused-images.ts';
import type { Builder, ImageOrigin } from '../../ports/builder.ts';
import type { EngineUse } from '../../ports/executor.ts';
import { inspectImage } from '../docker/images.ts';
import { BUILT_LABEL, INSTANCE_LABEL, TEMPORARY_LABEL } from '../docker/labels.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';

export interface Maker {
  readonly instanceId: string;
  /** True if the instance is deleted when it stops. */
  readonly isTemporary: boolean;
  readonly use: EngineUse;
}

/**
 * The label of a new image. A temporary instance uses a fixed id here, so that its images come from the build cache.
 */
export const builtLabels = (
  { instanceId, isTemporary }: Maker,
  { image, folder }: { readonly image: string; readonly folder: string },
): Readonly<Record<string, string>> => ({
  [BUILT_LABEL]: `${isTemporary ? TEMPORARY : instanceId} ${image} ${folder}`,
});

/** Parses the label of a built image. Folder names may contain spaces. */
const readBuilt = (label: string | undefined) => {
  const [builder = '', builtAs = '', ...folder] = label?.split(' ') ?? [];
  return { builder, builtAs, folder: folder.join(' ') };
};

/** The engine reports -1, or nothing, if it does not know how much images share. */
const ownBytes = ({ Size, SharedSize = 0 }: Dockerode.ImageInfo): number => Size - Math.max(0, SharedSize);

const builtImage = (image: Dockerode.ImageInfo): BuiltImage => {
  const { builder, builtAs } = readBuilt(image.Labels[BUILT_LABEL]);
  const names = (image.RepoTags ?? []).filter((name) => name !== '<none>:<none>');
  return { id: image.Id, names, builtAs, builder, builtAt: image.Created * 1000, bytes: ownBytes(image) };
};

export const createBuiltImages = (
  connection: Connection,
  { instanceId, use }: Maker,
): Pick<Builder, 'unused' | 'remove' | 'removeOf'> & {
  readonly originOf: (
    image: string,
    found: Dockerode.ImageInspectInfo,
    signal: AbortSignal,
  ) => Promise<ImageOrigin | undefined>;
} => {
  const list = async (signal: AbortSignal): Promise<readonly BuiltImage[]> => {
    const options = { filters: { label: [BUILT_LABEL] }, 'shared-size': true };
    const found = await connection.call(
      // The library's types lack the option and accept filters only as text.
      (docker, abortSignal): Promise<Dockerode.ImageInfo[]> =>
        Reflect.apply(docker.listImages, docker, [{ ...options, abortSignal }]),
      { signal },
    );
    return found.map(builtImage);
  };

  const temporaries = async (signal: AbortSignal): Promise<readonly (string | undefined)[]> => {
    const filters = { label: [INSTANCE_LABEL, TEMPORARY_LABEL] };
    const networks = await connection.call((docker, abortSignal) => docker.listNetworks({ abortSignal, filters }), {
      signal,
    });
    return networks.map(({ Labels }) => Labels?.[INSTANCE_LABEL]);
  };

  const usedIds = async (images: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> => {
    const containers = await connection.call(
      (docker, abortSignal) => docker.listContainers({ abortSignal, all: true }),
      { signal },
    );
    const ids = new Set(containers.map(({ ImageID }) => ImageID));
    for (const image of images.filter((each) => !isFolderImage(each))) {
      try {
        const found = await inspectImage(connection, image, signal);
        if (found !== undefined) ids.add(found.Id);
      } catch (error) {
        // The engine refuses this reference, so it has no image with it.
        if (statusOf(error) !== 400) throw error;
      }
    }
    return ids;
  };

  /** Returns false if the image is in use. @param force true to remove even an image of a stopped container */
  const removeReference = async (reference: string, signal: AbortSignal, force = false): Promise<boolean> => {
    try {
      await connection.call((docker, abortSignal) => docker.getImage(reference).remove({ abortSignal, force }), {
        signal,
      });
    } catch (error) {
      if (statusOf(error) === 409) return false;
      if (statusOf(error) !== 404) throw error;
    }
    return true;
  };

  /** Returns false if the image is in use. */
  const removeOne = async ({ id, names }: BuiltImage, signal: AbortSignal): Promise<boolean> => {
    // The image is removed by its id, because a build may meanwhile have given its name to a new image. The engine
    // refuses the id of an image with several names, so such an image is removed name by name.
    for (const reference of names.length > 1 ? names : [id]) {
      if (!(await removeReference(reference, signal))) return false;
    }
    return true;
  };

  return {
    async originOf(image, found, signal) {
      const { builder, builtAs, folder } = readBuilt(found.Config?.Labels?.[BUILT_LABEL]);
      // `docker tag` gives the image of one folder another name, which then belongs to nobody.
      if (folder === '' || wholeReference(builtAs) !== wholeReference(image)) return undefined;
      const isForeign =
        builder === TEMPORARY ? (await temporaries(signal)).some((id) => id !== instanceId) : builder !== instanceId;
      return { folder, isForeign };
    },
    async unused({ images, before }, signal) {
      if (!use.happened()) return [];
      try {
        const built = await list(signal);
        if (built.length === 0) return [];
        const rule = {
          instanceId,
          before,
          hasTemporary: (await temporaries(signal)).length > 0,
          used: await usedIds(images, signal),
        };
        return unusedImages(built, rule);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toExecutorError(error, 'unavailable', 'cannot list the images');
      }
    },
    async removeOf(temporaryHome, signal) {
      if (!use.happened()) return;
      try {
        for (const { id, names, builtAs } of await list(signal)) {
          if (!isOwnImage(builtAs, temporaryHome)) continue;
          // Another image name that a person has given to the image keeps it.
          const own = names.filter((name) => isOwnImage(name, temporaryHome));
          for (const reference of names.length === 0 ? [id] : own) await removeReference(reference, signal, true);
        }
      } catch (error) {
        throw toExecutorError(error, 'unavailable', 'cannot remove the images of the temporary instance');
      }
    },
    async remove(images, signal) {
      const removed: BuiltImage[] = [];
      try {
        for (const image of images) if (await removeOne(image, signal)) removed.push(image);
        return removed;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toExecutorError(error, 'unavailable', 'cannot remove an image');
      }
    },
  };
};
