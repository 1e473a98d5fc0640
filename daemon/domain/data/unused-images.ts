// Decides which images may be pruned: those that this program built and that nothing uses.

export interface BuiltImage {
  readonly id: string;
  /** Its names now. None if a later build took its name. */
  readonly names: readonly string[];
  /** The name that it was built under. */
  readonly builtAs: string;
  /** Id of the instance that built it, or `TEMPORARY`. */
  readonly builder: string;
  /** ms since the epoch, by the clock of the machine. */
  readonly builtAt: number;
  /** Bytes that no other image uses. */
  readonly bytes: number;
}

/** The builder of images of temporary instances, whose ids are gone with them. */
export const TEMPORARY = 'temporary';

export interface UnusedRule {
  readonly instanceId: string;
  /** True while a temporary instance has something in the engine. */
  readonly hasTemporary: boolean;
  /** Ids of images that actors or containers use. */
  readonly used: ReadonlySet<string>;
  /** Later images stay. ms since the epoch */
  readonly before: number;
}

/** Registries that an engine may put before a name without one. */
const IMPLIED = ['', 'localhost/', 'docker.io/', 'docker.io/library/'];

const isBuiltName = (name: string, builtAs: string): boolean => {
  const whole = /:[^:/]*$/.test(builtAs) ? builtAs : `${builtAs}:latest`;
  return IMPLIED.some((registry) => name === `${registry}${whole}`);
};

/** The images that may be pruned. One that has another name than its own, such as one to push, stays. */
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
