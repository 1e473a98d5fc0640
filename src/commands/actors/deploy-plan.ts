// Plans and applies the deployment of a folder. Shared by `deploy` and `dev`.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FieldWords, inWordsOf } from '../../client/field-words.ts';
import type { CommandContext } from '../../context.ts';
import type { Level } from '../../contract/operation.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Description } from '../../local/project/actor-values.ts';
import { descriptionIn } from '../../local/project/description.ts';
import { readEnvFile } from '../../local/project/env-file.ts';
import { type Project, readProject } from '../../local/project/project.ts';
import { PROJECT_FILE } from '../../local/project/project-names.ts';
import { requireFolderFile } from '../../local/small-file.ts';
import { ifFound } from '../framework/if-found.ts';
import type { Actor } from '../framework/views.ts';
import { bareName, configsIn, fileWords, replaceDescribed } from '../project/plan/described.ts';
import { type ActorDone, applySteps, configSteps, NEW_REVISION, type Step } from './actor-attachments.ts';
import { changedFields, descriptionOf, fixedDifference, fixedFields } from './actor-description.ts';
import { showWarnings } from './wait-until-ready.ts';

/** Largest env file, in bytes. */
const FILE_LIMIT = 1024 * 1024;

type Asker = Pick<CommandContext, 'call'>;
type ShowingAsker = Pick<CommandContext, 'call' | 'output'>;

export interface Plan {
  /** The existing actor. Absent if the actor will be created. */
  readonly actor?: Actor;
  readonly description: Description;
  /** Names of the fields that change. Each environment variable counts as a field. */
  readonly changed: readonly string[];
  readonly steps: readonly Step[];
}

const targetOf = async ({ call }: Asker, alias: string): Promise<string | undefined> =>
  (await ifFound(call('aliases.show', { params: { alias } })))?.actorId;

/** The actor of the alias, else the only actor with that name. @throws CliFailure USAGE if several have the name */
const existing = async (context: Asker, alias: string | undefined, name: string): Promise<Actor | undefined> => {
  const { call } = context;
  const pointed = alias === undefined ? undefined : await targetOf(context, alias);
  if (pointed !== undefined) return call('actors.show', { params: { actorId: pointed } });
  const named = (await call('actors.list')).filter((each) => each.name === name);
  if (named.length > 1) {
    throw new CliFailure('USAGE', `${named.length} actors are named "${name}"`, {
      hint: `add the field "alias" to actorctl.json, and point that alias to the right actor`,
      details: { actors: named.map(({ id }) => id) },
    });
  }
  return named[0];
};

export const envFileVariables = ({ envFile: file }: Pick<Project, 'envFile'>) =>
  file === undefined ? undefined : readEnvFile(requireFolderFile(file, FILE_LIMIT).toString('utf8'), file);

/** The description in actorctl.json. Fields that the file does not mention stay unchanged. */
const described = (project: Project): Description => {
  const { document } = project;
  return {
    ...descriptionIn(project, envFileVariables(project)),
    ...(document.link !== undefined && { link: bareName(document.link) }),
  };
};

/**
 * Keeps the stored link if the link in the file names the same actor. A name is resolved to an id for the
 * comparison.
 */
const keepLink = async (context: Asker, before: Description, wanted: Description): Promise<Description> => {
  const { link } = wanted;
  if (typeof link !== 'string' || link === '' || link === before['link']) return wanted;
  const target = await ifFound(context.call('actors.show', { params: { actorId: link } }));
  return target !== undefined && target.id === before['link'] ? { ...wanted, link: before['link'] } : wanted;
};

const aliasStep = async (context: Asker, alias: string, actor: Actor | undefined): Promise<readonly Step[]> => {
  const pointed = await targetOf(context, alias);
  if (pointed !== undefined && pointed === actor?.id) return [];
  const apply = async ({ id }: Pick<Actor, 'id'>): Promise<void> => {
    if (pointed === undefined) await context.call('aliases.create', { body: { alias, actorId: id } });
    else await context.call('aliases.update', { params: { alias }, body: { actorId: id } });
  };
  return [{ what: `alias ${alias}`, apply }];
};

const permissionSteps = async (
  { call }: Asker,
  wanted: Readonly<Record<string, Level>>,
  actor?: Actor,
): Promise<readonly Step[]> => {
  const has = actor === undefined ? {} : await call('permissions.list', { params: { actorId: actor.id } });
  return Object.entries(wanted)
    .map(([user, level]) => ({ user, level, before: has[user] ?? 'NONE' }))
    .filter(({ level, before }) => before !== level)
    .map(({ user, level, before }) => ({
      what: `permission ${user} ${before === 'NONE' ? '' : `${before} -> `}${level}`,
      apply: async ({ id }) => {
        await call('permissions.grant', { params: { actorId: id }, body: { user, level } });
      },
    }));
};

/**
 * Plans the deployment without changing anything. @param wishes `image` overrides the image of the file;
 * `permissions: false` leaves permissions unchanged
 */
export const planDeployment = async (
  context: Pick<CommandContext, 'call' | 'request' | 'output'>,
  project: Project,
  wishes: { readonly image?: string; readonly permissions: boolean },
): Promise<Plan> => {
  const { document, name } = project;
  const actor = await existing(context, document.alias, name);
  const before = actor === undefined ? {} : descriptionOf(actor);
  const said = described(project);
  const wanted = await keepLink(context, before, {
    ...said,
    ...(wishes.image !== undefined && { image: wishes.image }),
  });
  const other = actor && fixedDifference(fixedFields(document), actor);
  if (other !== undefined) {
    throw new CliFailure('USAGE', `cannot change actor ${actor?.id} from ${other.change}`, {
      hint: `change "${other.field}" in actorctl.json, or delete the actor: actorctl actors delete ${actor?.id}`,
    });
  }
  const description = replaceDescribed(before, wanted);
  const steps = [
    ...(document.alias === undefined ? [] : await aliasStep(context, document.alias, actor)),
    ...(await configSteps(context, configsIn(document), actor?.id)),
    ...(wishes.permissions ? await permissionSteps(context, document.permissions ?? {}, actor) : []),
  ];
  return { ...(actor && { actor }), description, changed: changedFields(before, description), steps };
};

/** The description with the fields that only a new actor can have. The state is the JSON of the file. */
const newActor = ({ document, name }: Project, description: Description): Description => ({
  ...description,
  name,
  ...fixedFields(document),
  ...(document.state !== undefined && { state: document.state }),
});

/** What actorctl.json says about a new actor. */
export interface FolderActor {
  readonly description: Description;
  readonly words: FieldWords;
  readonly alias: string | undefined;
  readonly configs: readonly string[];
  /** The steps that set its permissions. @param present the actor, if it exists already */
  readonly grants: (present: Actor | undefined) => Promise<readonly Step[]>;
}

/**
 * The actor of a folder as `deploy` would create it. Undefined without actorctl.json, as for a folder of another machine.
 * @param image the folder as it was typed
 * @throws CliFailure USAGE if the folder can only be built
 */
export const folderActor = async (
  context: ShowingAsker,
  image: string,
  folder: string,
  allowOutside: boolean,
): Promise<FolderActor | undefined> => {
  const has = (name: string): boolean => existsSync(path.join(folder, name));
  if (has('Dockerfile') && !has('actor.json')) {
    throw usage(
      `${image} has a Dockerfile and no actor.json, so it cannot run as a process`,
      `actorctl actors deploy ${image}`,
    );
  }
  if (!has(PROJECT_FILE)) return undefined;
  const project = await readProject(folder, { allowOutside });
  context.output.note(`using ${path.join(image, PROJECT_FILE)}; flags take precedence`);
  const { alias, permissions = {} } = project.document;
  const configs = configsIn(project.document);
  const description = newActor(project, replaceDescribed({}, described(project)));
  const grants: FolderActor['grants'] = (present) => permissionSteps(context, permissions, present);
  return { description, words: fileWords, alias, configs, grants };
};

const applyActor = async (
  context: ShowingAsker,
  project: Project,
  { actor, description, changed }: Plan,
  force: boolean,
): Promise<ActorDone> => {
  if (actor === undefined) {
    const body = newActor(project, description);
    const made = await context.call('actors.create', { body }).then(showWarnings(context), inWordsOf(fileWords));
    return { actor: made, created: true, changed: [] };
  }
  if (changed.length === 0 && !force) return { actor, created: false, changed };
  const updated = await context
    .call('actors.update', {
      params: { actorId: actor.id },
      headers: { 'if-match': `"${actor.version}"` },
      body: { ...description, ...(force && { force }) },
    })
    .then(showWarnings(context), inWordsOf(fileWords));
  return { actor: updated, created: false, changed: [...changed, ...(force ? [NEW_REVISION] : [])] };
};

/**
 * Applies the plan: first the actor, then the other changes in order.
 * @param force true to create a new revision even without changes, because the image has new content
 * @throws CliFailure the errors of the service; if a later change fails, the message lists the completed changes
 */
export const applyDeployment = async (
  context: ShowingAsker,
  project: Project,
  plan: Plan,
  force: boolean,
): Promise<Actor> => {
  const done = await applyActor(context, project, plan, force);
  await applySteps(done, plan.steps);
  return done.actor;
};
