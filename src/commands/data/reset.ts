// `reset`: empties the local instance, after taking a snapshot of its data.

import { usage } from '../../failure.ts';
import { type Keepable, keepable } from '../../local/archive/keepable.ts';
import { requireTarget } from '../../local/settings/require-target.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { parsed } from '../framework/option.ts';
import { formatReplaced, haltExecutions, lookAround, replaceData } from './replace-data.ts';

const keep = parsed('--keep <words>', 'keep users, or users,clients', (value, name): readonly Keepable[] => {
  const words = value.split(',').map((word) => word.trim());
  const kept = keepable.filter((word) => words.includes(word));
  const unknown = words.find((word) => !kept.some((each) => each === word));
  if (unknown !== undefined) throw usage(`${name} accepts ${keepable.join(' and ')}, not "${unknown}"`);
  if (kept.includes('clients') && !kept.includes('users'))
    throw usage('a client belongs to a user, so it cannot be kept alone', 'write --keep users,clients');
  return kept;
});

export const resetCommand = action({
  options: { keep, haltExecutions, dryRun },
  details:
    'First saves all data in a snapshot, whose name is printed. The daemon runs afterwards. Running executions are halted only after a confirmation or with --halt-executions.',
  examples: ['actorctl reset', 'actorctl reset --keep users,clients --yes'],
  run: async (context, _args, { keep = [], haltExecutions, dryRun }) => {
    requireTarget(context.settings);
    const { output, prompt, settings } = context;
    const { instance } = settings;
    const but = keep.length === 0 ? '' : ` except ${keep.join(' and ')}`;
    const present = await lookAround(context);
    if (dryRun) {
      const changes = ['save all data in a snapshot', `delete all data of instance ${instance}${but}`];
      return tellDryRun(context, changes, { instance, kept: keep, running: present.running }, instance);
    }
    await prompt.confirm(`Delete all data of instance ${instance}${but}? A snapshot of them is taken first.`);
    const done = await replaceData(
      context,
      present,
      { reset: true, ...(keep.length > 0 && { keep: keep.join(',') }) },
      haltExecutions,
    );
    const { started, user } = done;
    const value = {
      instance,
      kept: keep,
      snapshot: started.ready?.replaced?.snapshot ?? null,
      pid: started.status.pid,
      base_url: started.status.baseUrl,
      logged_in: user !== undefined,
    };
    output.result(`Emptied instance ${instance}${but}${formatReplaced(done)}`, value, value.snapshot ?? '');
    if (user === undefined) output.next(started.status.bootstrapped ? 'actorctl login' : 'actorctl up');
    return 0;
  },
});
