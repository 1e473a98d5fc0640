// Decides which images may be pruned: those that this program built and that nothing uses.

export interface BuiltImage {
  readonly id: string;
  /** Current names of the image. Empty if a later build took its name. */
  readonly names: readonly string[];
  /** The name under which the image was built. */
  readonly builtAs: string;
  /** Id of the instance that built the image, or `TEMPORARY`. */
  readonly builder: string;
  /** ms since the epoch, by the clock of the machine. */
  readonly builtAt: number;
  /** Bytes that no other image shares. */
  readonly bytes: number;
}

/** Recorded as the builder of images of temporary instances, whose ids are deleted with them. */
export const TEMPORARY = 'temporary';

export interface UnusedRule {
  readonly instanceId: string;
  /** True while a temporary instance has objects in the engine. */
  readonly hasTemporary: boolean;
  /** Ids of images that actors or containers use. */
  readonly used: ReadonlySet<string>;
  /** Images built after this time (ms since the epoch) stay. */
  readonly before: number;
}

/** Registry prefixes that an engine may add to a name without one. */
const IMPLIED = ['', 'localhost/', 'docker.io/', 'docker.io/library/'];

const isBuiltName = (name: string, builtAs: string): boolean => {
  const whole = /:[^:/]*$/.test(builtAs) ? builtAs : `${builtAs}:latest`;
  return IMPLIED.some((registry) => name === `${registry}${whole}`);
};

/** The images that may be pruned. An image that also has another name, such as one for a push, is not pruned. */
export const unusedImages = (
  images: readonly BuiltImage[],
  { instanceId, hasTemporary, used, before }: UnusedRule,
): readonly BuiltImage[] =>
  images.filter(
    ({ id, names, builtAs, builder, builtAt }) =>
      (builder === instanceId || (builder === TEMPORARY && !hasTemporary)) &&
      !used.has(id) &&
      builtAt < before &&
      names.every((name) => isBuiltName(name, builtAs)),
  );
