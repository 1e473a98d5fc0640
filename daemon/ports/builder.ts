// Port of the image builder: builds images from folders, describes images, and removes those that it built.
import type { BuildSpec, Built, ImageReport } from '../../src/contract/owner/images.ts';
import type { BuiltImage } from '../domain/data/unused-images.ts';

export type InspectedImage = Omit<ImageReport, 'origin'> & { readonly origin?: ImageOrigin | undefined };

export type ImageOrigin = Omit<NonNullable<ImageReport['origin']>, 'users'>;

/** A name of an image. An image with several names has one entry for each. */
export interface NamedImage {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

export interface Builder {
  /**
   * Passes the output of the engine to `onText` as it arrives. @throws ExecutorError image with the engine's message
   */
  build(
    spec: BuildSpec,
    archive: AsyncIterable<Uint8Array>,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Built>;
  /** Describes an image. Undefined if the engine does not have it. Pulls nothing. */
  inspect(image: string, signal: AbortSignal): Promise<InspectedImage | undefined>;
  /**
   * The images that have a name, newest first, without those of this program itself. @throws ExecutorError unavailable
   */
  named(signal: AbortSignal): Promise<readonly NamedImage[]>;
  /**
   * Makes the image of the reach test exist, and returns its name. Undefined if there is none for the engine's processor.
   * @throws ExecutorError image, unavailable
   */
  reachImage(): Promise<string | undefined>;
  /**
   * The unused images that this instance or a temporary instance built. An engine that was never used is not contacted.
   * @param rule.images images that are used
   * @param rule.before later images are left out, in ms since the epoch
   */
  unused(
    rule: { readonly images: readonly string[]; readonly before: number },
    signal: AbortSignal,
  ): Promise<readonly BuiltImage[]>;
  /** Removes images. Returns the removed ones; an image that is in use by now stays. */
  remove(images: readonly BuiltImage[], signal: AbortSignal): Promise<readonly BuiltImage[]>;
  /**
   * Removes the images that were built in a temporary home, whose name their tags end with. An engine that was never
   * used is not contacted.
   */
  removeOf(temporaryHome: string, signal: AbortSignal): Promise<void>;
}
