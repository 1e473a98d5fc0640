// `actors delete`.
import { CliFailure } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, several } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { deletionStopped, planDeletion } from './actor-change.ts';
import { titleOf } from './wait-until-ready.ts';

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
