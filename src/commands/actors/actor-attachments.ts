// What `actors create` and `actors update` do beside the actor itself: its link by any name, an alias, configs.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { sharedNames } from '../configs/config-actors.ts';
import { readConfig } from '../configs/config-value.ts';
import { shareWith } from '../configs/configs-change.ts';
import { text, texts, type ValuesOf } from '../kernel/option.ts';
import type { Actor } from '../kernel/views.ts';

/** The flags of both. */
export const belongingsOptions = {
  link: text('--link <actor>', 'the actor that is sent its events: id, alias or name'),
  alias: text('--alias <name>', 'an alias for it'),
  config: texts('--config <name>', 'a config to share with it; several are taken'),
};

type Asker = Pick<CommandContext, 'call' | 'prompt' | 'request' | 'output'>;

/** The field `link`: an alias stays an alias, so that the link follows it; a name becomes an id. @throws CliFailure NOT_FOUND, USAGE */
export const linkField = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  reference: string | undefined,
): Promise<{ readonly link?: string }> => {
  if (reference === undefined) return {};
  const [link] = await sharedNames(context, [reference]);
  return link === undefined ? {} : { link };
};

const noRoom = (alias: string, actorId: string): CliFailure =>
  new CliFailure('ALREADY_EXISTS', `an alias ${alias} already exists; it points to ${actorId}`, {
    hint: `leave out --alias, then: actorctl aliases create ${alias} ACTOR --move`,
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

/** What was asked for beside the actor. */
export interface Belongings {
  /** Does it; answers words for each thing that was done. */
  apply(actor: Pick<Actor, 'id'>): Promise<readonly string[]>;
}

/**
 * Looks first whether it can be done: an actor is not to be made for an alias that is taken, or a config that there is not.
 * @param actorId the actor, when it is there already
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
  for (const name of configs) await readConfig(context, name);
  return {
    async apply({ id }) {
      const done: string[] = [];
      if (alias !== undefined && pointed === undefined) {
        await context.call('aliases.create', { body: { alias, actorId: id } });
        done.push(`alias ${alias}`);
      }
      for (const name of configs) {
        const { added } = await shareWith(context, name, [id]);
        if (added.length > 0) done.push(`config ${name}`);
      }
      return done;
    },
  };
};
