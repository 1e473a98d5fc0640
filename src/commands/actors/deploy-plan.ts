// Plans and applies the deployment of a folder. Shared by `deploy` and `dev`.

import type { CommandContext } from '../../context.ts';
import type { Level } from '../../contract/operation.ts';
import { CliFailure } from '../../failure.ts';
import type { Project } from '../../local/project/project.ts';
import { shareWith } from '../configs/config-sharing.ts';
import { actorsOf } from '../configs/configs-view.ts';
import { ifFound } from '../kernel/if-found.ts';
import { readEnvFile } from '../kernel/pairs.ts';
import type { Actor } from '../kernel/views.ts';
import { bareName, descriptionIn, replaceDescribed } from '../project/plan/described.ts';
import { changedFields, descriptionOf, fixedDifference, fixedFields } from './actor-description.ts';
import type { Description } from './actor-flags.ts';

/** Largest env file, in bytes. */
const FILE_LIMIT = 1024 * 1024;

type Asker = Pick<CommandContext, 'call'>;

/** A change besides the actor itself. */
export interface Step {
  /** Description for people and scripts: `alias hello`, `config db`, `permission ana`. */
  readonly what: string;
  readonly apply: (actor: Actor) => Promise<void>;
}

export interface Plan {
  /** Absent if the actor will be created. */
  readonly actor?: Actor;
  readonly description: Description;
  /** Names of the fields that change. Each environment variable counts as a field. */
  readonly changed: readonly string[];
  readonly steps: readonly Step[];
}

/** The actor that an alias points to; undefined if the alias does not exist. */
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
      hint: `add "alias" to actorctl.json, and point that alias to the right actor`,
      details: { actors: named.map(({ id }) => id) },
    });
  }
  return named[0];
};

/** The description in actorctl.json. Fields that the file does not mention stay unchanged. */
const described = async ({ read }: Pick<CommandContext, 'read'>, project: Project): Promise<Description> => {
  const { envFile: file, document } = project;
  const variables =
    file === undefined ? undefined : readEnvFile((await read(file, FILE_LIMIT)).toString('utf8'), 'env_file');
  return {
    ...descriptionIn(project, variables),
    ...(document.link !== undefined && { link: bareName(document.link) }),
  };
};

/**
 * Keeps the stored link if the wanted one names the same actor. A name resolves to an id, so comparing texts is not
 * enough.
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
  const apply = async ({ id }: Actor): Promise<void> => {
    if (pointed === undefined) await context.call('aliases.create', { body: { alias, actorId: id } });
    else await context.call('aliases.update', { params: { alias }, body: { actorId: id } });
  };
  return [{ what: `alias ${alias}`, apply }];
};

const configSteps = async (
  context: Asker & Pick<CommandContext, 'request' | 'output'>,
  names: readonly string[],
  actor?: Actor,
): Promise<readonly Step[]> => {
  const steps: Step[] = [];
  for (const name of names) {
    const shared = actorsOf(await context.call('configs.show', { params: { configName: name } }));
    if (actor !== undefined && shared.includes(actor.id)) continue;
    const apply = async ({ id }: Actor): Promise<void> => {
      await shareWith(context, name, [id]);
    };
    steps.push({ what: `config ${name}`, apply });
  }
  return steps;
};

const permissionSteps = async (
  { call }: Asker,
  wanted: Readonly<Record<string, Level>>,
  actor?: Actor,
): Promise<readonly Step[]> => {
  const has = actor === undefined ? {} : await call('permissions.list', { params: { actorId: actor.id } });
  return Object.entries(wanted)
    .filter(([user, level]) => (has[user] ?? 'NONE') !== level)
    .map(([user, level]) => ({
      what: `permission ${user} ${level}`,
      apply: async ({ id }) => {
        await call('permissions.grant', { params: { actorId: id }, body: { user, level } });
      },
    }));
};

/**
 * Determines what a deployment would change. Changes nothing.
 * @param wishes `image` overrides the image of the file; `permissions` false leaves permissions unchanged
 * @throws CliFailure USAGE, NOT_FOUND for an unknown config or link, FORBIDDEN
 */
export const planDeployment = async (
  context: Pick<CommandContext, 'call' | 'read' | 'request' | 'output'>,
  project: Project,
  wishes: { readonly image?: string; readonly permissions: boolean },
): Promise<Plan> => {
  const { document, name } = project;
  const actor = await existing(context, document.alias, name);
  const before = actor === undefined ? {} : descriptionOf(actor);
  const said = await described(context, project);
  const wanted = await keepLink(context, before, {
    ...said,
    ...(wishes.image !== undefined && { image: wishes.image }),
  });
  const other = actor && fixedDifference(fixedFields(document), actor);
  if (other !== undefined) {
    throw new CliFailure('USAGE', `cannot change actor ${actor?.id} from ${other.change}`, {
      hint: `actorctl actors delete ${actor?.id}, or correct "${other.field}" in actorctl.json`,
    });
  }
  const description = replaceDescribed(before, wanted);
  const steps = [
    ...(document.alias === undefined ? [] : await aliasStep(context, document.alias, actor)),
    ...(await configSteps(context, document.configs ?? [], actor)),
    ...(wishes.permissions ? await permissionSteps(context, document.permissions ?? {}, actor) : []),
  ];
  return { ...(actor && { actor }), description, changed: changedFields(before, description), steps };
};

/**
 * Applies the plan: first the actor, then the other changes in order.
 * @param force true to create a new revision even without changes, because the image has new content
 * @throws CliFailure the errors of the service
 */
export const applyDeployment = async (
  { call }: Asker,
  { document, name }: Project,
  { actor, description, changed, steps }: Plan,
  force: boolean,
): Promise<Actor> => {
  let deployed: Actor;
  if (actor === undefined) {
    const state = document.state === undefined ? {} : { state: document.state };
    deployed = await call('actors.create', { body: { ...description, name, ...fixedFields(document), ...state } });
  } else if (changed.length > 0 || force) {
    deployed = await call('actors.update', {
      params: { actorId: actor.id },
      headers: { 'if-match': `"${actor.version}"` },
      body: { ...description, ...(force && { force }) },
    });
  } else deployed = actor;
  for (const { apply } of steps) await apply(deployed);
  return deployed;
};
