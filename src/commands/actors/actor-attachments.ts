// The link, alias and configs that `actors create` and `actors update` set besides the actor itself.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { text, texts, type ValuesOf } from '../kernel/option.ts';
import type { Actor } from '../kernel/views.ts';

/** The flags of `create` and `update` for these. */
export const belongingsOptions = {
  link: text('--link <actor>', 'send its events to this actor: id, alias or name'),
  alias: text('--alias <name>', 'create this alias for it'),
  config: texts('--config <name>', 'share this config with it, repeatable'),
};

type Asker = Pick<CommandContext, 'call' | 'prompt' | 'request' | 'output'>;

/**
 * Returns the field `link`. An alias stays an alias, so that the link follows it; a name becomes an id. @throws
 * CliFailure NOT_FOUND, USAGE
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
    hint: `remove --alias, then run: actorctl aliases create ${alias} ACTOR --move`,
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

/** The alias and configs to set. */
export interface Belongings {
  /** Sets them. Returns a description of each change. */
  apply(actor: Pick<Actor, 'id'>): Promise<readonly string[]>;
}

/**
 * Checks that alias and configs are usable before the actor is created.
 * @param actorId the actor, if it exists already
 * @throws CliFailure ALREADY_EXISTS, NOT_FOUND
 */
export const planBelongings = async (
  context: Asker,
  { alias: given, config }: Pick<ValuesOf<typeof belongingsOptions>, 'alias' | 'config'>,
  actorId?: string,
): Promise<Belongings> => {
  const alias = given?.replace(/^alias:/, '');
  const pointed = alias === undefined ? undefined : await pointsTo(context, alias);
  if (alias !== undefined && pointed !== undefined && pointed !== actorId) throw noRoom(alias, pointed);
  const configs = [...new Set(config)];
  if (configs.length > 0) {
    const { readConfig } = await import('../configs/config-value.ts');
    for (const name of configs) await readConfig(context, name);
  }
  return {
    async apply({ id }) {
      const done: string[] = [];
      if (alias !== undefined && pointed === undefined) {
        await context.call('aliases.create', { body: { alias, actorId: id } });
        done.push(`alias ${alias}`);
      }
      for (const name of configs) {
        const { shareWith } = await import('../configs/config-sharing.ts');
        const { added } = await shareWith(context, name, [id]);
        if (added.length > 0) done.push(`config ${name}`);
      }
      return done;
    },
  };
};
