// The port of the builder: makes images of folders, and says what an image is.

export interface BuildSpec {
  /** The reference that the image gets: `hello:dev`. */
  readonly image: string;
  /** Path of the Dockerfile inside the archive. */
  readonly dockerfile: string;
  readonly args: Readonly<Record<string, string>>;
  /** The stage to stop at. */
  readonly target?: string;
  readonly platform?: string;
  readonly noCache: boolean;
  /** Ask the registry for newer base images. */
  readonly pull: boolean;
}

export interface Built {
  readonly image: string;
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Steps of the Dockerfile, and how many of them were taken from the cache. */
  readonly steps: number;
  readonly cached: number;
}

/** What is known of an image without running it. */
export interface ImageReport {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  readonly os: string;
  readonly architecture: string;
  /** Architecture of the engine, in the same words. */
  readonly engineArchitecture: string;
  /** As the image says; empty is root. */
  readonly user: string;
  /** Entrypoint and command as one list. */
  readonly command: readonly string[];
  /** Names of its variables, without their values. */
  readonly variables: readonly string[];
}

export interface Builder {
  /**
   * Builds an image of a tar archive, handing on what the engine says as it says it.
   * @throws ExecutorError image when the build fails, in the engine's own words; unavailable; the reason of `signal`
   */
  build(
    spec: BuildSpec,
    archive: AsyncIterable<Uint8Array>,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Built>;
  /** What the image is; undefined when the engine does not have it. Pulls nothing. @throws ExecutorError unavailable */
  inspect(image: string, signal: AbortSignal): Promise<ImageReport | undefined>;
}
