// Image names derived from the names of folders, actors and projects, and a normal form of image references.
import { createHash } from 'node:crypto';

/** Longest derived name without its digest, so that the name of a project is valid too. */
const LONGEST = 50;

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);

/**
 * The name itself if it is valid as a part of an image name. Otherwise its valid characters and a digest, so that two
 * names never become equal. The two dashes before the digest cannot occur in a valid name.
 * @param folder absolute path of the folder that has the name, without symbolic links
 */
export const derivedName = (name: string, folder: string): string => {
  const left = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, (between) => (between === '_' ? '_' : '-'))
    .slice(0, LONGEST)
    .replace(/^[_-]+|[_-]+$/g, '');
  return left === name ? name : `${left || 'actor'}--${digestOf(folder, name)}`;
};

/**
 * The image of an actor that names no image. A dot separates project and name, because a derived name never
 * contains a dot.
 */
export const derivedImage = (
  name: string,
  { folder, project }: { readonly folder: string; readonly project?: string | undefined },
): string => {
  const own = derivedName(name, folder);
  return project === undefined ? `${own}:dev` : `${derivedName(project, folder)}.${own}:dev`;
};

const withTag = (image: string): string => (/:[^:/]*$/.test(image) ? image : `${image}:dev`);

/**
 * The name of an image that is built in a temporary home. It replaces no image of another home.
 * @param home name of the temporary home
 */
export const ownImage = (image: string, home: string): string => `${withTag(image)}-${home}`;

/** True if the image was built in this temporary home. */
export const isOwnImage = (image: string, home: string): boolean => image.endsWith(`-${home}`);

/**
 * The image name of a folder for `dev`. Only `dev` uses this name, so `dev` replaces no image of another command or
 * folder. The name keeps the tag of the image, because two images may differ only in their tag.
 * @param folder absolute path of the folder, without symbolic links
 */
export const liveImage = (image: string, folder: string): string => `${withTag(image)}-live-${digestOf(folder)}`;

/** The reference with an explicit tag, and without the default registry that engines add. */
export const wholeReference = (image: string): string => {
  const short = image.replace(/^(?:(?:index\.)?docker\.io\/(?:library\/)?|localhost\/)/, '');
  return /[:@][^/]*$/.test(short) ? short : `${short}:latest`;
};
