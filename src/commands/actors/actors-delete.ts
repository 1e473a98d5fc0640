// `actors delete`.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { createNames } from '../framework/actor-names.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, several } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { countExecutions } from '../framework/search-rows.ts';
import type { Actor } from '../framework/views.ts';
import { titleOf } from './wait-until-ready.ts';

type Asker = Pick<CommandContext, 'call' | 'settings' | 'output'>;

interface ActorDeletion {
  readonly actor: Actor;
  readonly executions: number;
  readonly aliases: readonly string[];
  /** The deletion as text: `wordcount (id) with 3 executions, schedule @hourly and alias wc`. */
  readonly words: string;
}

/** The failure when several actors are deleted. It lists the actors that were already deleted, for scripts. */
const deletionStopped = (error: CliFailure, actor: Actor, deleted: readonly string[]): CliFailure =>
  new CliFailure(error.code, `cannot delete ${titleOf(actor)}: ${error.message}`, {
    ...error.extras,
    ...(error.code === 'ACTOR_BUSY' && { hint: `actorctl actors delete ${actor.id} --force` }),
    details: { ...error.extras.details, actor_id: actor.id, deleted },
    cause: error,
  });

const counted = (count: number, noun: string): readonly string[] => (count > 0 ? [plural(count, noun)] : []);

/** `alias wc`, `aliases wc, words` */
const listed = (names: readonly string[], one: string, many: string): readonly string[] =>
  names.length === 0 ? [] : [`${names.length === 1 ? one : many} ${names.join(', ')}`];

/** What an actor has besides executions and aliases, in the words of the dashboard. */
const belongingsOf = async (context: Asker, actor: Actor): Promise<readonly string[]> => {
  const { call } = context;
  const { id, stateless, cronSchedule, webhook, owner } = actor;
  const params = { actorId: id };
  const [{ messages }, states, links, nonces, permissions] = await Promise.all([
    call('messages.count', { params }),
    stateless ? [] : call('state.versions', { params }),
    call('links.show', { params }),
    call('nonces.list', { params }),
    call('permissions.list', { params }),
  ]);
  const nameOf = createNames(context);
  const users = Object.entries(permissions).filter(([user, level]) => user !== owner && level !== 'NONE');
  return [
    ...counted(messages, 'waiting message'),
    ...(states.length > 0 ? ['state'] : []),
    ...(cronSchedule === undefined ? [] : [`schedule ${cronSchedule}`]),
    ...(webhook === '' ? [] : [`webhook to ${URL.canParse(webhook) ? new URL(webhook).origin : webhook}`]),
    ...(links.link === null ? [] : [`link to ${await nameOf(links.out ?? links.link)}`]),
    ...listed(await Promise.all(links.in.map(nameOf)), 'link from', 'links from'),
    ...counted(nonces.length, 'nonce'),
    ...listed(
      users.map(([user]) => user),
      'permission of',
      'permissions of',
    ),
  ];
};

/**
 * Finds out what the deletion of actors removes. With `--nonce` it counts nothing, because each request would consume a
 * use of the nonce.
 * @throws CliFailure ACTOR_BUSY as the deletion would
 */
const planDeletion = async (
  context: Asker,
  actors: readonly Actor[],
  force: boolean,
): Promise<readonly ActorDeletion[]> => {
  if (context.settings.nonce !== undefined) {
    return actors.map((actor) => ({ actor, executions: 0, aliases: [], words: titleOf(actor) }));
  }
  const aliases = await context.call('aliases.list');
  const plan: ActorDeletion[] = [];
  for (const actor of actors) {
    const running = force ? 0 : await countExecutions(context, actor.id, { status: 'RUNNING' });
    if (running > 0) {
      const runs = running === 1 ? 'execution runs' : 'executions run';
      throw deletionStopped(new CliFailure('ACTOR_BUSY', `${running} of its ${runs}`), actor, []);
    }
    const executions = await countExecutions(context, actor.id);
    const own = aliases.filter(({ actorId }) => actorId === actor.id).map(({ alias }) => alias);
    const also = [
      ...counted(executions, 'execution'),
      ...(await belongingsOf(context, actor)),
      ...listed(own, 'alias', 'aliases'),
    ].join(', ');
    const words = also.replace(/, (?=[^,]*$)/, ' and ');
    plan.push({ actor, executions, aliases: own, words: `${titleOf(actor)}${also === '' ? '' : ` with ${words}`}` });
  }
  return plan;
};

export const actorsDelete = action({
  operations: ['actors.delete'],
  args: { actors: several('actors', 'actor') },
  options: { force: flag('--force', 'stop running executions and delete their actors too'), dryRun },
  examples: ['actorctl actors delete wordcount --yes', 'actorctl actors delete wordcount wc-2 --dry-run'],
  run: async (context, { actors: references }, { force, dryRun }) => {
    const { call, output, prompt } = context;
    const found = await Promise.all(references.map((reference) => resolveActor(context, reference)));
    const actors = [...new Map(found.map((actor) => [actor.id, actor])).values()];
    const plan = await planDeletion(context, actors, force);
    if (dryRun) {
      const ids = actors.map(({ id }) => id);
      const rows = plan.map(({ actor: { id, name }, executions, aliases }) => ({ id, name, executions, aliases }));
      const lines = plan.map(({ words }) => `delete actor ${words}`);
      return tellDryRun(context, lines, { deleted: ids, actors: rows }, ids.join('\n'));
    }
    const listed = plan.map(({ words }) => words).join(', ');
    await prompt.confirm(`Delete ${plural(actors.length, 'actor')}: ${listed}? All messages and logs are deleted too.`);
    const deleted: string[] = [];
    for (const actor of actors) {
      try {
        await call('actors.delete', { params: { actorId: actor.id }, query: { ...(force && { force }) } });
      } catch (error) {
        if (error instanceof CliFailure) throw deletionStopped(error, actor, deleted);
        throw error;
      }
      deleted.push(actor.id);
    }
    const said = actors.map((actor) => `Deleted actor ${titleOf(actor)}`).join('\n');
    output.result(said, { deleted }, deleted.join('\n'));
    return 0;
  },
});
