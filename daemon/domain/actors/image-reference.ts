// Checks the field `image`: a container image reference, or the `file:///` folder of a process actor.

const FOLDER = 'file:///';

// Docker's reference grammar, without nested repetition so that matching takes linear time.
const SEGMENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST =
  '(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?';
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${SEGMENT}(?:/${SEGMENT})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+(?:[+._-][a-z0-9]+)*:[a-fA-F0-9]{32,128})?$`,
);

/** Maximum length of a reference. Registries refuse longer ones, and the limit bounds the cost of matching. */
const REFERENCE_LIMIT = 512;

/**
 * True if `image` is a folder on this machine, which runs as a plain process without a container.
 * @see docs/http-api.md#actors
 */
export const isFolderImage = (image: string): boolean => /^file:/i.test(image);

const isFolder = (image: string): boolean => {
  const path = image.slice(FOLDER.length);
  if (!image.startsWith(FOLDER) || path === '' || /[?#\\\p{Cc}]|%(?![0-9A-Fa-f]{2})|%(?:00|2f|5c)/iu.test(path))
    return false;
  return path.split('/').every((segment) => !/^(?:\.|%2e){1,2}$/i.test(segment));
};

/**
 * Why `image` is invalid, as the end of a sentence. Undefined if it is valid. Does not check whether the image exists.
 * @see https://pkg.go.dev/github.com/distribution/reference
 */
export const imageFault = (image: string): string | undefined => {
  if (isFolderImage(image))
    return isFolder(image) ? undefined : 'must name a folder by its absolute path, like file:///home/me/my-actor';
  return image.length <= REFERENCE_LIMIT && REFERENCE.test(image)
    ? undefined
    : 'must be a container image reference, like alpine:3.20 or registry.example:5000/team/name@sha256:…, or file:///folder';
};
