// The parts of a project that a temporary instance replaces: the names of its images, and its webhooks.
import type { CommandContext } from '../../context.ts';
import { temporaryName } from '../../local/paths.ts';
import { ownImage } from '../../local/project/image-name.ts';
import type { ReadProject } from '../project/read-desired-state.ts';

/**
 * The name for an image that is built here: in a temporary home a name of its own, because the engine is shared with
 * other homes.
 */
export const imageHere = ({ user }: Pick<CommandContext, 'user'>, image: string): string => {
  const home = temporaryName(user.env['ACTORCTL_HOME']);
  return home === undefined ? image : ownImage(image, home);
};

/**
 * The project with other names for the images that it builds, even for actors that use an image built by another actor.
 * @param rename returns the name for an image that is built from the folder
 */
export const withImages = (
  { wanted, sources }: ReadProject,
  rename: (image: string, folder: string) => string,
): ReadProject => {
  const built = new Map(
    [...sources.values()].flatMap(({ build, image, source }) =>
      build === undefined ? [] : [[image, rename(image, source)] as const],
    ),
  );
  return {
    wanted: {
      ...wanted,
      actors: wanted.actors.map((actor) => {
        const image = sources.get(actor.key)?.image ?? String(actor.description['image']);
        return {
          ...actor,
          description: { ...actor.description, ...(built.has(image) && { image: built.get(image) }) },
        };
      }),
    },
    sources: new Map([...sources].map(([key, each]) => [key, { ...each, image: built.get(each.image) ?? each.image }])),
  };
};

/** The project with this address for all of its webhooks. Without an address it has none: receivers expect real events. */
export const withWebhook = ({ wanted, sources }: ReadProject, address?: string): ReadProject => ({
  sources,
  wanted: {
    ...wanted,
    actors: wanted.actors.map((actor) => {
      const { webhook, ...description } = actor.description;
      const isSent = webhook !== undefined && address !== undefined;
      return { ...actor, description: { ...description, ...(isSent && { webhook: address }) } };
    }),
  },
});
