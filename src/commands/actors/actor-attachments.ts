// The link, alias and configs of an actor, which `actors create`, `update` and `deploy` change together with the actor.
import type { CommandContext } from '../../context.ts';
import { CliFailure, stoppedAfter } from '../../failure.ts';
import { text, texts, type ValuesOf } from '../framework/option.ts';
import type { Actor } from '../framework/views.ts';
import { titleOf } from './wait-until-ready.ts';

export const belongingsOptions = {
  link: text('--link <actor>', 'send its events to this actor: id, alias or name', 'actor'),
  alias: text('--alias <name>', 'create this alias for it'),
  config: texts('--config <name>', 'share this config with it, repeatable', 'config'),
};

type Asker = Pick<CommandContext, 'call' | 'prompt' | 'request' | 'output'>;

/**
 * The link in a request. An alias is sent as an alias, so that the link follows it. A name is replaced by the actor id.
 */
export const linkField = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  reference: string | undefined,
): Promise<{ readonly link?: string }> => {
  if (reference === undefined) return {};
  const { sharedNames } = await import('../configs/config-actors.ts');
  const [link] = await sharedNames(context, [reference]);
  return link === undefined ? {} : { link };
};

const noRoom = (alias: string, actorId: string): CliFailure =>
  new CliFailure('ALREADY_EXISTS', `alias "${alias}" already exists and points to ${actorId}`, {
    hint: `choose another alias, or move it to the new actor afterwards: actorctl aliases set ${alias} ACTOR`,
    details: { alias, actor_id: actorId },
  });

const pointsTo = async ({ call }: Pick<CommandContext, 'call'>, alias: string): Promise<string | undefined> => {
  try {
    return (await call('aliases.show', { params: { alias } })).actorId;
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

export interface Step {
  /** Description for people and scripts: `alias hello`, `config db`, `permission ana READ`. */
  readonly what: string;
  readonly apply: (actor: Pick<Actor, 'id'>) => Promise<void>;
}

export const configSteps = async (
  context: Pick<Asker, 'call' | 'request' | 'output'>,
  names: readonly string[],
  actorId: string | undefined,
): Promise<readonly Step[]> => {
  if (names.length === 0) return [];
  const { actorsOf } = await import('../configs/configs-view.ts');
  const { readConfig } = await import('../configs/config-value.ts');
  const { shareWith } = await import('../configs/config-sharing.ts');
  const steps: Step[] = [];
  for (const name of new Set(names)) {
    const { config } = await readConfig(context, name);
    if (actorId !== undefined && actorsOf(config).includes(actorId)) continue;
    const apply = async ({ id }: Pick<Actor, 'id'>): Promise<void> => {
      await shareWith(context, name, [id]);
    };
    steps.push({ what: `config ${name}`, apply });
  }
  return steps;
};

/** Checks alias and configs before the actor is created. @param actorId the actor, if it exists already */
export const planBelongings = async (
  context: Asker,
  { alias: given, config }: Pick<ValuesOf<typeof belongingsOptions>, 'alias' | 'config'>,
  actorId?: string,
): Promise<readonly Step[]> => {
  const alias = given?.replace(/^alias:/, '');
  const pointed = alias === undefined ? undefined : await pointsTo(context, alias);
  if (alias !== undefined && pointed !== undefined && pointed !== actorId) throw noRoom(alias, pointed);
  const steps = await configSteps(context, config, actorId);
  if (alias === undefined || pointed !== undefined) return steps;
  const apply = async ({ id }: Pick<Actor, 'id'>): Promise<void> => {
    await context.call('aliases.create', { body: { alias, actorId: id } });
  };
  return [{ what: `alias ${alias}`, apply }, ...steps];
};

/** The reported change of `--force` for an actor whose fields do not change. */
export const NEW_REVISION = 'new revision';

export interface ActorDone {
  readonly actor: Actor;
  readonly created: boolean;
  /** Names of the changed fields of an existing actor. */
  readonly changed: readonly string[];
}

/**
 * Changes the link, alias and configs of an actor, in order.
 * @throws CliFailure the errors of the service; the message and details list the changes made before the error
 */
export const applySteps = async (before: ActorDone, steps: readonly Step[]): Promise<void> => {
  const { actor, created } = before;
  const changed = [...before.changed];
  for (const { what, apply } of steps) {
    try {
      await apply(actor);
    } catch (error) {
      if (!created && changed.length === 0) throw error;
      const said = created
        ? [`created actor ${titleOf(actor)}`, ...changed].join(', ')
        : `changed actor ${titleOf(actor)}: ${changed.join(', ')}`;
      throw stoppedAfter(error, said, { actor_id: actor.id, created, changed });
    }
    changed.push(what);
  }
};
