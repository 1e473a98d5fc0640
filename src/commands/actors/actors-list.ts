// `actors list`.
import { usage } from '../../failure.ts';
import { action } from '../framework/command.ts';
import { flag } from '../framework/option.ts';
import { actorRowView, aliasesOf } from './actor-view.ts';

export const actorsList = action({
  operations: ['actors.list'],
  list: true,
  options: {
    mine: flag('--mine', 'only your own actors'),
    shared: flag('--shared', 'only actors that others share with you'),
  },
  examples: ['actorctl actors list --filter status=ERROR', "actorctl actors list --mine --json | jq '.[].id'"],
  run: async (context, _, { mine, shared }) => {
    if (mine && shared) throw usage('--mine and --shared cannot be used together', 'give one of them');
    const { call, output } = context;
    // The list is requested last, after the profile, because --envelope prints the envelope of the last response.
    const me = mine || shared ? (await call('profiles.me')).username : undefined;
    const actors = await call('actors.list', { query: { details: true } });
    // A service that does not support `details` returns no aliases.
    const isBare = !output.enveloped && actors.some(({ aliases }) => aliases === undefined);
    const known = isBare ? await call('aliases.list') : [];
    const asked = me === undefined ? actors : actors.filter(({ owner }) => (owner === me) === mine);
    output.rows(
      asked.map((actor) => ({ ...actor, aliases: actor.aliases ?? aliasesOf(actor, known) })),
      actorRowView,
    );
    return 0;
  },
});
