// `project delete`: deletes everything that belongs to a project.
import { CliFailure, usage } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, text } from '../framework/option.ts';
import { observe } from './observe.ts';
import { planDelete } from './plan/plan.ts';
import { formatDone, formatPlanned, valueOfStep } from './plan/words.ts';
import { findProjectFile, projectNameIn } from './project-file.ts';
import { checkOwner, ownerOption } from './project-owner.ts';
import { type Look, runPlan } from './run-plan.ts';

const deleteProject = command({
  name: 'delete',
  summary: 'Delete everything that belongs to a project',
  details:
    'Deletes everything that belongs to the project, even if it is no longer in the file. Built images and the file stay.',
  operations: ['actors.delete', 'aliases.delete', 'configs.delete'],
  options: {
    file: text('-f, --file <path>', 'project file, or a folder with one', 'files'),
    project: text('--project <name>', 'name of the project, in place of a file'),
    force: flag('--force', 'delete actors with running executions too'),
    owner: ownerOption,
    dryRun,
  },
  examples: ['actorctl project delete -f actorctl.yaml', 'actorctl project delete --project weather --yes --force'],
  run: async (context, _args, { file, project: given, force, owner, dryRun }) => {
    if ((file === undefined) === (given === undefined))
      throw usage(
        'give the file with -f, or the name of the project with --project',
        'actorctl project delete -f actorctl.yaml',
      );
    const project = given ?? (await projectNameIn(context, findProjectFile(context, file)));
    const look = async (): Promise<Look> => {
      const present = await observe(context, { project, actors: [], aliases: [], configs: [] });
      checkOwner(project, present, owner);
      return { present, plan: planDelete(present, force) };
    };
    const first = await look();
    if (first.present.revision === undefined)
      throw new CliFailure('NOT_FOUND', `there is no project "${project}"`, {
        hint: `to list the projects: actorctl configs list --filter 'name~=^actorctl-project'`,
        details: { project },
      });
    const { steps } = first.plan;
    if (dryRun) return tellDryRun(context, steps.map(formatPlanned), { project, steps: steps.map(valueOfStep) });
    await context.prompt.confirm(
      `Delete project "${project}": ${steps.map(({ kind, name }) => `${kind} ${name}`).join(', ') || 'only its record'}?`,
    );
    const ran = await runPlan(context, project, first, look);
    const sentence = [
      ...ran.steps.map(formatDone),
      `Deleted project ${project}: ${plural(ran.steps.length, 'thing')}`,
    ].join('\n');
    context.output.result(sentence, { project, steps: ran.steps.map(valueOfStep) }, project);
    return 0;
  },
});

export const projectCommands: readonly LeafEntry[] = [deleteProject];
