// `actors deploy`: from a folder to an actor that answers: build, create or update, alias, configs, permissions.
import { failureCodes } from '../../contract/failure-codes.ts';
import { usage } from '../../failure.ts';
import { commitOf } from '../../local/project/git.ts';
import { type Project, readProject } from '../../local/project/project.ts';
import { command } from '../kernel/command.ts';
import { flag, optional, text } from '../kernel/option.ts';
import { buildOptions, buildProject, folderOf, wordBuilt } from './build-image.ts';
import { applyDeployment, type Plan, planDeployment } from './deploy-plan.ts';
import { waitOption, waitUntilReady } from './wait-until-ready.ts';

/** The image of the project under another tag. */
const tagged = async ({ image, folder }: Project, tag: string): Promise<string> => {
  const name = tag === 'git' ? await commitOf(folder) : tag;
  return `${image.replace(/:[^:/]*$/, '')}:${name}`;
};

/** Everything that would change, in the words of the plan. */
const changesOf = ({ actor, changed, steps }: Plan): readonly string[] => [
  ...(actor === undefined ? ['created'] : changed),
  ...steps.map(({ what }) => what),
];

/** `actors deploy [DIR]` */
export const actorsDeploy = command({
  name: 'deploy',
  summary: 'Builds the image of a folder and creates or updates its actor, with all that actorctl.json names.',
  args: { folder: optional('the folder; this one when left out') },
  options: {
    build: flag('--no-build', 'take the image as it is'),
    permissions: flag('--no-permissions', 'leave the permissions alone'),
    tag: text('--tag <tag>', 'another tag for the image; git: the commit'),
    ...buildOptions,
    force: flag('--force', 'a new revision also without a change'),
    dryRun: flag('--dry-run', 'only say what would change'),
    check: flag('--check', 'only say what would change; exit code 12 when something would'),
    wait: waitOption,
  },
  examples: [
    'actorctl actors deploy',
    'actorctl actors deploy ./hello --tag git --wait',
    'actorctl actors deploy --check',
  ],
  run: async (context, { folder }, { build, permissions, tag, force, dryRun, check, wait, ...options }) => {
    const { output } = context;
    const project = await readProject(folderOf(context, folder));
    if (tag !== undefined && project.build === undefined) throw usage('--tag: there is no image to build');
    const image = tag === undefined ? project.image : await tagged(project, tag);
    const plan = await planDeployment(context, project, { image, permissions });
    const changes = changesOf(plan);
    if (dryRun || check) {
      const said = changes.length === 0 ? 'nothing would change' : `would change: ${changes.join(', ')}`;
      const value = { actor: plan.actor?.id ?? null, created: plan.actor === undefined, changed: changes, image };
      output.result(`${project.name}: ${said}`, value, plan.actor?.id ?? '');
      return check && changes.length > 0 ? failureCodes.CHANGES.exit : 0;
    }
    let renewed = false;
    if (build && project.build !== undefined) {
      const before = await context.local.images.look(image);
      const built = await buildProject(context, project, options, image);
      renewed = before !== undefined && before.id !== built.id;
      output.note(wordBuilt(built));
    }
    const deployed = await applyDeployment(context, project, plan, force || (renewed && plan.actor !== undefined));
    const final = wait === undefined ? deployed : await waitUntilReady(context, deployed, wait);
    const created = plan.actor === undefined;
    const said = [...changes.filter((each) => each !== 'created'), ...(renewed ? ['new content of the image'] : [])];
    const what = created ? said.filter((each) => plan.steps.some((step) => step.what === each)) : said;
    const list = what.length === 0 ? (created ? '' : ' (nothing changed)') : ` (${what.join(', ')})`;
    output.result(
      `${project.name}: ${image} -> ${created ? 'created' : 'updated'} ${final.id}${list}; ${final.status}`,
      { actor: final.id, created, changed: said, image, status: final.status },
      final.id,
    );
    output.next(`actorctl run ${project.document.alias ?? project.name} -m "hello"`);
    return 0;
  },
});
