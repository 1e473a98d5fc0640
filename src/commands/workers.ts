// `workers`: the slots in which the executions of an actor run.
import { command, group } from './command.ts';
import { resolveActor } from './identify.ts';
import { required } from './option.ts';
import { workerView } from './views.ts';

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'Lists the workers of an actor.',
  operations: ['workers.list'],
  args: { actor: required('actor') },
  list: true,
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    context.output.rows(await context.call('workers.list', { params: { actorId: actor.id } }), workerView);
    return 0;
  },
});

/** `workers` */
export const workersCommand = group(
  'workers',
  { aliases: ['worker'], summary: 'Slots in which the executions of an actor run.' },
  [list],
);
