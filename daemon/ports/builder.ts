// Port of the image builder: builds images from folders, describes images, and removes those that it built.
import type { BuiltImage } from '../domain/data/unused-images.ts';

export interface BuildSpec {
  /** The reference of the new image: `hello:dev`. */
  readonly image: string;
  /** Absolute path of the folder that the image belongs to. A label of the image keeps it. */
  readonly folder: string;
  /** Path of the Dockerfile inside the archive. */
  readonly dockerfile: string;
  readonly args: Readonly<Record<string, string>>;
  /** The build stage to stop at. */
  readonly target?: string;
  readonly platform?: string;
  readonly noCache: boolean;
  /** Check the registry for newer base images. */
  readonly pull: boolean;
}

export interface Built {
  readonly image: string;
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Steps of the Dockerfile, and how many of them came from the cache. */
  readonly steps: number;
  readonly cached: number;
}

/** Description of an image, obtained without running it. */
export interface ImageReport {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  readonly os: string;
  readonly architecture: string;
  /** Architecture of the engine, in the same notation. */
  readonly engineArchitecture: string;
  /** User as the image states it; empty means root. */
  readonly user: string;
  /** Entrypoint and command in one list. */
  readonly command: readonly string[];
  /** Names of the environment variables, without their values. */
  readonly variables: readonly string[];
  /** Who built it under this name. Absent for an image of another program, or of an earlier version of this one. */
  readonly origin?: ImageOrigin;
}

export interface ImageOrigin {
  /** Absolute path of the folder that it was built for. */
  readonly folder: string;
  /** True if another instance built it, whose actors are not known here. */
  readonly isForeign: boolean;
}

export interface Builder {
  /**
   * Builds an image from a tar archive and passes the output of the engine to `onText` as it arrives.
   * @throws ExecutorError image when the build fails, with the engine's message; unavailable; the reason of `signal`
   */
  build(
    spec: BuildSpec,
    archive: AsyncIterable<Uint8Array>,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Built>;
  /**
   * Describes an image; undefined when the engine does not have it. Pulls nothing. @throws ExecutorError unavailable
   */
  inspect(image: string, signal: AbortSignal): Promise<ImageReport | undefined>;
  /**
   * The images that this instance or a temporary one built and that nothing uses. An engine that was never used is not
   * asked.
   * @param rule.images images that are used
   * @param rule.before later images are left out, in ms since the epoch
   * @throws ExecutorError unavailable; the reason of `signal`
   */
  unused(
    rule: { readonly images: readonly string[]; readonly before: number },
    signal: AbortSignal,
  ): Promise<readonly BuiltImage[]>;
  /**
   * Removes images. Returns those that are gone; an image that is used by now stays.
   * @throws ExecutorError unavailable; the reason of `signal`
   */
  remove(images: readonly BuiltImage[], signal: AbortSignal): Promise<readonly BuiltImage[]>;
}
