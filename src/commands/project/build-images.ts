// Builds the images of a project before anything is changed at the service.
import { hostname } from 'node:os';
import type { CommandContext } from '../../context.ts';
import type { Project } from '../../local/project/project.ts';
import { type BuildOptions, buildProject, formatBuilt } from '../actors/build-image.ts';
import { claimImage } from './claim-image.ts';
import type { BuiltNow, DesiredState } from './plan/desired-state.ts';

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
 * @param wish.takeOver true to replace images that other folders built
 * @throws CliFailure ALREADY_EXISTS before the first build; BUILD_FAILED, RUNTIME_UNAVAILABLE, DAEMON_NOT_RUNNING
 */
export const buildImages = async (
  context: Pick<CommandContext, 'output' | 'manage' | 'now' | 'signal'>,
  sources: ReadonlyMap<string, Project>,
  { takeOver }: { readonly takeOver: boolean },
): Promise<ReadonlyMap<string, BuiltNow>> => {
  const images = new Map<string, BuiltNow>();
  const befores = new Map<Project, string | undefined>();
  for (const project of sources.values()) {
    if (project.build === undefined) continue;
    const other = 'give the actor another "image"';
    const before = await claimImage(context, project, project.image, { takeOver, other });
    befores.set(project, before?.id);
  }
  for (const [project, before] of befores) {
    const built = await buildProject(context, project, usual);
    context.output.note(formatBuilt(built));
    images.set(project.image, {
      id: built.id,
      host: hostname(),
      isNew: before !== undefined && before !== built.id,
    });
  }
  return images;
};

/** The images of actors, by their names in the file. Several may use the image that one of them builds. */
export const imagesOf = (
  { actors }: Pick<DesiredState, 'actors'>,
  images: ReadonlyMap<string, BuiltNow>,
): ReadonlyMap<string, BuiltNow> =>
  new Map(
    actors.flatMap(({ key, description: { image } }) => {
      const built = images.get(String(image));
      return built === undefined ? [] : [[key, built] as const];
    }),
  );
