// Builds the images of a project before anything is changed at the service.
import { hostname } from 'node:os';
import type { CommandContext } from '../../context.ts';
import type { Project } from '../../local/project/project.ts';
import { type BuildOptions, buildProject, wordBuilt } from '../actors/build-image.ts';
import type { BuiltNow, Wanted } from './plan/wanted.ts';

/** How every image of a project is built. */
const usual: BuildOptions = {
  buildArg: [],
  cache: true,
  pull: false,
  target: undefined,
  platform: undefined,
  progress: undefined,
};

/**
 * Builds the images of the actors that say how, one after another. Returns them by their names.
 * @throws CliFailure BUILD_FAILED, RUNTIME_UNAVAILABLE, DAEMON_NOT_RUNNING
 */
export const buildImages = async (
  context: Pick<CommandContext, 'output' | 'local' | 'now' | 'signal'>,
  sources: ReadonlyMap<string, Project>,
): Promise<ReadonlyMap<string, BuiltNow>> => {
  const images = new Map<string, BuiltNow>();
  for (const project of sources.values()) {
    if (project.build === undefined) continue;
    const before = await (await context.local()).images.look(project.image);
    const built = await buildProject(context, project, usual);
    context.output.note(wordBuilt(built));
    images.set(project.image, {
      id: built.id,
      host: hostname(),
      isNew: before !== undefined && before.id !== built.id,
    });
  }
  return images;
};

/** The images of actors, by their names in the file. Several may use the image that one of them builds. */
export const imagesOf = (
  { actors }: Pick<Wanted, 'actors'>,
  images: ReadonlyMap<string, BuiltNow>,
): ReadonlyMap<string, BuiltNow> =>
  new Map(
    actors.flatMap(({ key, description: { image } }) => {
      const built = images.get(String(image));
      return built === undefined ? [] : [[key, built] as const];
    }),
  );
