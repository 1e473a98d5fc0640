// `actors deploy`: builds the image of a folder, creates or updates its actor, and sets alias, configs and permissions.
import { failureCodes } from '../../contract/failure-codes.ts';
import { usage } from '../../failure.ts';
import { type Project, readProject } from '../../local/project/project.ts';
import { stepsOf } from '../../ui/step.ts';
import { actorInError } from '../executions/wait-for-outcome.ts';
import { action } from '../framework/command.ts';
import { dryRun } from '../framework/dry-run.ts';
import { flag, optional, text } from '../framework/option.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import { claimImage, takeOverOption } from '../project/claim-image.ts';
import { imageHere } from '../temporary/temporary-project.ts';
import { buildOptions, buildProject, folderOf, formatBuilt, offerProcess, processOption } from './build-image.ts';
import { applyDeployment, type Plan, planDeployment } from './deploy-plan.ts';
import { readyLimit, waitOptions, waitUntilReady } from './wait-until-ready.ts';

const tagged = async ({ image, folder }: Project, tag: string): Promise<string> => {
  const name = tag === 'git' ? await (await import('../../local/project/git.ts')).commitOf(folder) : tag;
  return `${image.replace(/:[^:/]*$/, '')}:${name}`;
};

const changesOf = ({ actor, changed, steps }: Plan): readonly string[] => [
  ...(actor === undefined ? ['created'] : changed),
  ...steps.map(({ what }) => what),
];

export const actorsDeploy = action({
  details: 'Also sets the alias, configs and permissions of actorctl.json.',
  args: { folder: optional('folder (default: the current folder)', 'folders') },
  options: {
    build: flag('--no-build', 'use the existing image'),
    permissions: flag('--no-permissions', 'do not change permissions'),
    tag: text('--tag <tag>', 'image tag; "git" means the current commit'),
    process: processOption,
    ...buildOptions,
    takeOver: takeOverOption,
    force: flag('--force', 'create a new revision even without changes'),
    dryRun,
    check: flag('--check', 'only print what would change, exit code 12 if anything would'),
    ...waitOptions,
  },
  examples: [
    'actorctl actors deploy',
    'actorctl actors deploy ./hello --tag git --wait',
    'actorctl actors deploy --check',
    'actorctl actors deploy ./hello --process',
  ],
  run: async (
    context,
    { folder },
    { build, permissions, tag, takeOver, force, dryRun, check, wait, timeout, ...options },
  ) => {
    refuseLimitWithout('--wait', wait, timeout);
    const { output } = context;
    const onStep = stepsOf(output);
    const project = await readProject(folderOf(context, folder), options);
    if (tag !== undefined && project.build === undefined) throw usage('--tag: the project builds no image');
    const named = tag === undefined ? project.image : await tagged(project, tag);
    const image = project.build === undefined ? named : imageHere(context, named);
    const plan = await planDeployment(context, project, { image, permissions });
    const changes = changesOf(plan);
    if (dryRun || check) {
      const said = changes.length === 0 ? 'nothing would change' : `would change: ${changes.join(', ')}`;
      const value = {
        dry_run: true,
        actor_id: plan.actor?.id ?? null,
        created: plan.actor === undefined,
        changed: changes,
        image,
      };
      output.report(`${project.name}: ${said}`, value, plan.actor?.id ?? '');
      return check && changes.length > 0 ? failureCodes.CHANGES.exit : 0;
    }
    let renewed = false;
    if (build && project.build !== undefined) {
      const other = 'deploy another one: --tag TAG';
      const offer = offerProcess(project);
      const before = await claimImage(context, project, image, { takeOver, other }).catch(offer);
      const built = await buildProject(context, project, options, image, onStep).catch(offer);
      renewed = before !== undefined && before.id !== built.id;
      output.note(formatBuilt(built));
    }
    const deployed = await applyDeployment(context, project, plan, force || (renewed && plan.actor !== undefined));
    await onStep({
      type: 'actor',
      id: deployed.id,
      name: deployed.name,
      action: plan.actor ? 'updated' : 'created',
    });
    const limit = readyLimit(context, { wait, timeout });
    const final = limit === undefined ? deployed : await waitUntilReady(context, deployed, limit);
    const created = plan.actor === undefined;
    const said = [...changes.filter((each) => each !== 'created'), ...(renewed ? ['new image content'] : [])];
    const what = created ? said.filter((each) => plan.steps.some((step) => step.what === each)) : said;
    const list = what.length === 0 ? (created ? '' : ' (nothing changed)') : ` (${what.join(', ')})`;
    output.result(
      `${project.name}: ${image} -> ${created ? 'created' : 'updated'} ${final.id}${list}; ${final.status}`,
      { actor_id: final.id, created, changed: said, image, status: final.status },
      final.id,
    );
    if (final.status === 'ERROR') throw actorInError(final);
    output.next(`actorctl run ${project.document.alias ?? project.name} -m "hello"`);
    return 0;
  },
});
