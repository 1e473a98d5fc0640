// Builds the images of a project before anything is changed at the service.
import type { CommandContext } from '../../context.ts';
import type { Project } from '../../local/project/project.ts';
import { type BuildOptions, buildProject, wordBuilt } from '../actors/build-image.ts';
import type { Wanted } from './plan/wanted.ts';

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
 * Builds the images of the actors that say how, one after another. Returns the names of the images that have new content.
 * @throws CliFailure BUILD_FAILED, RUNTIME_UNAVAILABLE, DAEMON_NOT_RUNNING
 */
export const buildImages = async (
  context: Pick<CommandContext, 'output' | 'local' | 'now'>,
  sources: ReadonlyMap<string, Project>,
): Promise<ReadonlySet<string>> => {
  const renewed = new Set<string>();
  for (const project of sources.values()) {
    if (project.build === undefined) continue;
    const before = await context.local.images.look(project.image);
    const built = await buildProject(context, project, usual);
    context.output.note(wordBuilt(built));
    if (before !== undefined && before.id !== built.id) renewed.add(project.image);
  }
  return renewed;
};

/** The actors that use one of the images, by their names in the file. Several may use the image that one of them builds. */
export const usersOf = ({ actors }: Pick<Wanted, 'actors'>, images: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(actors.filter(({ description: { image } }) => images.has(String(image))).map(({ key }) => key));
