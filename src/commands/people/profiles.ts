// `profiles`: list and show the users of your tenant.
import { command, type LeafEntry } from '../framework/command.ts';
import { optional } from '../framework/option.ts';
import { profileView } from '../framework/views.ts';

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the profiles of your tenant',
  operations: ['profiles.list'],
  list: true,
  run: async (context) => {
    context.output.rows(await context.call('profiles.list'), profileView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show the profile of a user (default: your own)',
  operations: ['profiles.show', 'profiles.me'],
  args: { name: optional('user name', 'profile') },
  run: async ({ call, output }, { name }) => {
    const profile = await (name === undefined
      ? call('profiles.me')
      : call('profiles.show', { params: { username: name } }));
    output.item(profile, profileView);
    return 0;
  },
});

export const profilesCommand: readonly LeafEntry[] = [list, show];
