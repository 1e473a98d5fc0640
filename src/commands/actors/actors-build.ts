// `actors build`: builds the image of a folder in the container engine of the local daemon.
import { readProject } from '../../local/project/project.ts';
import { command } from '../kernel/command.ts';
import { optional, text } from '../kernel/option.ts';
import { buildOptions, buildProject, folderOf, wordBuilt } from './build-image.ts';

/** `actors build [DIR]` */
export const actorsBuild = command({
  name: 'build',
  summary: 'Build the image of a folder',
  details: 'Files named in .dockerignore are left out.',
  args: { folder: optional('folder (default: the current folder)') },
  options: {
    tag: text('-t, --tag <image>', 'name of the image (default: from actorctl.json)'),
    ...buildOptions,
  },
  examples: ['actorctl actors build', 'actorctl actors build ./hello -t hello:2 --no-cache'],
  run: async (context, { folder }, { tag, ...options }) => {
    const project = await readProject(folderOf(context, folder));
    const built = await buildProject(context, project, options, tag);
    context.output.result(wordBuilt(built), built, built.image);
    context.output.next(`actorctl actors deploy ${folder ?? ''} --no-build`.replace(/ +/g, ' '));
    return 0;
  },
});
