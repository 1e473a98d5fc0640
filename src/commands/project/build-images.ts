// Builds the images of a project before anything is changed at the service.
import type { CommandContext } from '../../context.ts';
import type { Project } from '../../local/project/project.ts';
import { type BuildOptions, buildProject, wordBuilt } from '../actors/build-image.ts';

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
 * Builds the images of the actors that say how, one after another. Returns the names of those whose image has new
 * content under the same name.
 * @throws CliFailure BUILD_FAILED, RUNTIME_UNAVAILABLE, DAEMON_NOT_RUNNING
 */
export const buildImages = async (
  context: Pick<CommandContext, 'output' | 'local' | 'now'>,
  sources: ReadonlyMap<string, Project>,
): Promise<ReadonlySet<string>> => {
  const renewed = new Set<string>();
  for (const [key, project] of sources) {
    if (project.build === undefined) continue;
    const before = await context.local.images.look(project.image);
    const built = await buildProject(context, project, usual);
    context.output.note(wordBuilt(built));
    if (before !== undefined && before.id !== built.id) renewed.add(key);
  }
  return renewed;
};
