// `apply` and `diff`: apply a project file to the service, or show what would change.

import { hostname } from 'node:os';
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import type { Project } from '../../local/project/project.ts';
import { noSteps, type OnStep, stepsOf } from '../../ui/step.ts';
import { type BuildOptions, buildProject, formatBuilt, formatReused } from '../actors/build-image.ts';
import { readyLimit, waitOptions } from '../actors/wait-until-ready.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag } from '../framework/option.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import { imageHere, withImages } from '../temporary/temporary-project.ts';
import { claimImage, takeOverOption } from './claim-image.ts';
import { observe } from './observe.ts';
import type { BuiltNow, DesiredState } from './plan/desired-state.ts';
import { changingSteps, type Plan, planApply } from './plan/plan.ts';
import { diffLines, formatCounts, formatDone, formatLeft, formatPlanned, valueOfStep } from './plan/words.ts';
import { fileOptions, readProjectFile } from './project-file.ts';
import { checkOwner, ownerOption } from './project-owner.ts';
import { type ReadProject, readWanted } from './read-desired-state.ts';
import { refuseErrors, waitForAll } from './ready-actors.ts';
import { type Look, type Ran, runPlan } from './run-plan.ts';
import { settleTargets } from './settle-targets.ts';

const usual: BuildOptions = {
  buildArg: [],
  cache: true,
  pull: false,
  target: undefined,
  platform: undefined,
  progress: undefined,
};

/**
 * Builds the images of the actors that have a `build` section, one after another. Returns the images by name.
 * @param wish.takeOver true to replace images that other folders built
 * @throws CliFailure ALREADY_EXISTS before the first build; BUILD_FAILED, IMAGE_PULL_FAILED, RUNTIME_UNAVAILABLE,
 * DAEMON_NOT_RUNNING
 */
const buildImages = async (
  context: Pick<CommandContext, 'output' | 'manage' | 'now' | 'signal'>,
  sources: ReadonlyMap<string, Project>,
  { takeOver, onStep }: { readonly takeOver: boolean; readonly onStep: OnStep },
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
    const built = await buildProject(context, project, usual, undefined, onStep);
    const isNew = before !== built.id;
    context.output.note(isNew ? formatBuilt(built) : formatReused(built));
    images.set(project.image, {
      id: built.id,
      host: hostname(),
      isNew: before !== undefined && isNew,
    });
  }
  return images;
};

/** The images of actors, by actor name in the file. Several actors may use an image that one of them builds. */
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

interface Wishes {
  readonly prune: boolean;
  readonly images: ReadonlyMap<string, BuiltNow>;
  /** The owner of the project, if not the caller. */
  readonly owner: string | undefined;
}

const NOT_BUILT: ReadonlyMap<string, BuiltNow> = new Map();

export const readProjectOf = async (
  context: CommandContext,
  { file, allowOutside }: { readonly file: string | undefined; readonly allowOutside: boolean },
): Promise<ReadProject> => {
  const read = await readWanted(context, await readProjectFile(context, file), { allowOutside });
  return withImages(read, (image) => imageHere(context, image));
};

const lookAt = async (context: CommandContext, read: DesiredState, wishes: Wishes): Promise<Look> => {
  const wanted = await settleTargets(context, read);
  const present = await observe(context, wanted);
  const plan = planApply(wanted, present, wishes);
  checkOwner(wanted.project, present, wishes.owner);
  return { present, plan };
};

const noteLeft = ({ output }: Pick<CommandContext, 'output'>, { left }: Plan): void => {
  const said = formatLeft(left);
  if (said !== undefined) output.note(said);
};

/**
 * Builds the images, plans the changes, and applies them.
 * @param build false to use the existing images
 * @param takeOver true to replace images that other folders built
 */
export const applyProject = async (
  context: CommandContext,
  { wanted, sources }: ReadProject,
  {
    prune,
    build,
    takeOver = false,
    owner,
    onStep = noSteps,
  }: {
    readonly prune: boolean;
    readonly build: boolean;
    readonly takeOver?: boolean;
    readonly owner?: string | undefined;
    readonly onStep?: OnStep;
  },
): Promise<Ran> => {
  // A mistake in the file is found before images are built.
  await lookAt(context, wanted, { prune, images: NOT_BUILT, owner });
  const images = build ? imagesOf(wanted, await buildImages(context, sources, { takeOver, onStep })) : NOT_BUILT;
  const look = (): Promise<Look> => lookAt(context, wanted, { prune, images, owner });
  const first = await look();
  noteLeft(context, first.plan);
  return runPlan(context, wanted.project, first, look, onStep);
};

export const applyCommand = action({
  details:
    'Creates or changes actors, aliases and configs in the order of their dependencies. A second run changes nothing. The config actorctl-project.NAME records what belongs to the project.',
  operations: [
    'actors.create',
    'actors.update',
    'aliases.create',
    'aliases.update',
    'configs.create',
    'configs.update',
  ],
  options: {
    ...fileOptions,
    prune: flag('--prune', 'delete actors, aliases and configs of the project that are not in the file'),
    build: flag('--no-build', 'use the existing images'),
    takeOver: takeOverOption,
    owner: ownerOption,
    dryRun,
    ...waitOptions,
  },
  examples: [
    'actorctl apply',
    'actorctl apply -f staging.yaml --prune --wait',
    'actorctl apply -c cloud --no-build --dry-run',
  ],
  run: async (context, _args, { prune, build, takeOver, owner, dryRun, wait, timeout, ...file }) => {
    refuseLimitWithout('--wait', wait, timeout);
    const read = await readProjectOf(context, file);
    const { wanted } = read;
    if (dryRun) {
      const { plan } = await lookAt(context, wanted, { prune, images: NOT_BUILT, owner });
      noteLeft(context, plan);
      const steps = changingSteps(plan);
      return tellDryRun(context, steps.map(formatPlanned), {
        project: wanted.project,
        steps: plan.steps.map(valueOfStep),
      });
    }
    const ran = await applyProject(context, read, { prune, build, takeOver, owner, onStep: stepsOf(context.output) });
    const limit = readyLimit(context, { wait, timeout });
    const { steps } = ran;
    const sentence = [...steps.map(formatDone), `Project ${wanted.project}: ${formatCounts(steps)}`].join('\n');
    context.output.result(sentence, { project: wanted.project, steps: steps.map(valueOfStep) }, wanted.project);
    if (limit === undefined) await refuseErrors(context, ran, wanted);
    else await waitForAll(context, ran, wanted, limit);
    return 0;
  },
});

export const diffCommand = action({
  details: 'Exit code 12 if apply would change something. Builds no images. Shows a digest in place of each secret.',
  options: {
    ...fileOptions,
    prune: flag('--prune', 'also show what apply --prune would delete'),
    owner: ownerOption,
  },
  examples: ['actorctl diff', 'actorctl diff -f staging.yaml -c cloud'],
  run: async (context, _args, { prune, owner, ...file }) => {
    const { wanted } = await readProjectOf(context, file);
    const { plan } = await lookAt(context, wanted, { prune, images: NOT_BUILT, owner });
    noteLeft(context, plan);
    const steps = changingSteps(plan);
    const sentence =
      steps.length === 0 ? `Project ${wanted.project}: no differences` : steps.flatMap(diffLines).join('\n');
    context.output.report(
      sentence,
      { project: wanted.project, steps: plan.steps.map(valueOfStep) },
      steps.length === 0 ? '' : wanted.project,
    );
    return steps.length === 0 ? 0 : failureCodes.CHANGES.exit;
  },
});
