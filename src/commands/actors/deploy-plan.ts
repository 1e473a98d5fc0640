// What a deployment of a folder would change, and making it so; `deploy` and `dev` share it.
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import type { Level } from '../../contract/operation.ts';
import { CliFailure } from '../../failure.ts';
import type { Project } from '../../local/project/project.ts';
import { shareWith } from '../configs/configs-change.ts';
import { actorsOf } from '../configs/configs-view.ts';
import { readEnvFile } from '../kernel/pairs.ts';
import type { Actor } from '../kernel/views.ts';
import { changeDescription, changedFields, type Description, descriptionOf } from './actor-flags.ts';

/** Largest env file, in bytes. */
const FILE_LIMIT = 1024 * 1024;

type Asker = Pick<CommandContext, 'call'>;

/** One thing that a deployment does beside the actor itself. */
export interface Step {
  /** For people and scripts: `alias hello`, `config db`, `permission ana`. */
  readonly what: string;
  readonly apply: (actor: Actor) => Promise<void>;
}

export interface Plan {
  /** Absent: it is created. */
  readonly actor?: Actor;
  readonly description: Description;
  /** Names of the fields that change; of the environment each variable by itself. */
  readonly changed: readonly string[];
  readonly steps: readonly Step[];
}

const orNothing = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

/** `alias:` in front is understood: a name stands on the wire by itself. */
const bare = (name: string): string => name.replace(/^(?:alias|id):/, '');

/** Where an alias points; undefined when there is no such alias. */
const targetOf = async ({ call }: Asker, alias: string): Promise<string | undefined> =>
  (await orNothing(call('aliases.show', { params: { alias } })))?.actorId;

/** The actor of the alias, else the only one of that name. @throws CliFailure USAGE when several have the name */
const existing = async (context: Asker, alias: string | undefined, name: string): Promise<Actor | undefined> => {
  const { call } = context;
  const pointed = alias === undefined ? undefined : await targetOf(context, alias);
  if (pointed !== undefined) return call('actors.show', { params: { actorId: pointed } });
  const named = (await call('actors.list')).filter((each) => each.name === name);
  if (named.length > 1) {
    throw new CliFailure('USAGE', `${named.length} actors are called ${name}`, {
      hint: `give actorctl.json an "alias", and point it to the one that is meant`,
      details: { actors: named.map(({ id }) => id) },
    });
  }
  return named[0];
};

/** The description that the file of a folder makes; what the file does not mention is left as it is. */
const described = async (
  { read }: Pick<CommandContext, 'read'>,
  { folder, document, image }: Project,
): Promise<Description> => {
  const { env, env_file: file } = document;
  const variables = {
    ...(file !== undefined &&
      readEnvFile((await read(path.resolve(folder, file), FILE_LIMIT)).toString('utf8'), 'env_file')),
    ...env,
  };
  return {
    image,
    ...(document.description !== undefined && { description: document.description }),
    ...((env !== undefined || file !== undefined) && { default_environment: variables }),
    ...(document.hints !== undefined && { hints: document.hints }),
    ...(document.memory !== undefined && { memLimit: document.memory }),
    ...(document.workers !== undefined && { maxWorkers: document.workers }),
    ...(document.time_limit !== undefined && { maxRunTime: document.time_limit }),
    ...(document.token !== undefined && { token: document.token }),
    ...(document.link !== undefined && { link: bare(document.link) }),
    ...(document.webhook !== undefined && { webhook: document.webhook }),
    ...(document.cron !== undefined && { cronSchedule: document.cron }),
  };
};

/** An empty text in the file takes the field away: the wire has no value for that. */
const emptied = (wanted: Description): readonly string[] =>
  Object.entries(wanted).flatMap(([field, value]) => (value === '' ? [field] : []));

const replaced = (before: Description, wanted: Description): Description => {
  // The file has the environment as a whole: a variable that it no longer names goes.
  const base = 'default_environment' in wanted ? { ...before, default_environment: {} } : before;
  const filled = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ''));
  const unset = emptied(wanted).filter((field) => field in before);
  return changeDescription(base, filled, unset);
};

/** A link is stored as it was given: as a name, or as the id that the name stands for at present. */
const keepLink = async (context: Asker, before: Description, wanted: Description): Promise<Description> => {
  const { link } = wanted;
  if (typeof link !== 'string' || link === '' || link === before['link']) return wanted;
  const target = await orNothing(context.call('actors.show', { params: { actorId: link } }));
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
 * What a deployment would change, found out without changing anything.
 * @param wishes.image another image than that of the file; `permissions` false leaves them alone
 * @throws CliFailure USAGE, NOT_FOUND for a config or a link that there is not, FORBIDDEN
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
  if (actor !== undefined && document.stateless !== undefined && document.stateless !== actor.stateless) {
    throw new CliFailure(
      'USAGE',
      `actor ${actor.id} is ${actor.stateless ? 'stateless' : 'stateful'}, which cannot change`,
      {
        hint: `actorctl actors delete ${actor.id}, or correct "stateless" in actorctl.json`,
      },
    );
  }
  const description = replaced(before, wanted);
  const steps = [
    ...(document.alias === undefined ? [] : await aliasStep(context, document.alias, actor)),
    ...(await configSteps(context, document.configs ?? [], actor)),
    ...(wishes.permissions ? await permissionSteps(context, document.permissions ?? {}, actor) : []),
  ];
  return { ...(actor && { actor }), description, changed: changedFields(before, description), steps };
};

/**
 * Makes it so: the actor first, then what belongs to it, in order.
 * @param force a new revision also without a change of the description: the image under the same name is a new one
 * @throws CliFailure the refusals of the service
 */
export const applyDeployment = async (
  { call }: Asker,
  { document, name }: Project,
  { actor, description, changed, steps }: Plan,
  force: boolean,
): Promise<Actor> => {
  let deployed: Actor;
  if (actor === undefined) {
    const stateless = document.stateless === undefined ? {} : { stateless: document.stateless };
    deployed = await call('actors.create', { body: { ...description, name, ...stateless } });
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
