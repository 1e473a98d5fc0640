// `workers`: list, show, scale and delete the workers of an actor, which run its executions.
import { usage } from '../../failure.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { actorHere, required } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { workerView } from '../framework/views.ts';

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the workers of an actor',
  operations: ['workers.list'],
  args: { actor: actorHere },
  list: true,
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    context.output.rows(await context.call('workers.list', { params: { actorId: actor.id } }), workerView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a worker',
  operations: ['workers.show'],
  args: { actor: required('actor', 'actor'), worker: required('worker id', 'worker') },
  run: async (context, { actor: reference, worker: workerId }) => {
    const { id: actorId } = await resolveActor(context, reference);
    context.output.item(await context.call('workers.show', { params: { actorId, workerId } }), workerView);
    return 0;
  },
});

const scale = command({
  name: 'scale',
  summary: 'Set the number of ready workers (admins only)',
  details: 'These workers stay ready even when idle. 0 starts workers only when there are messages.',
  operations: ['workers.scale'],
  args: { actor: required('actor', 'actor'), number: required('number of workers, 0 for as many as needed') },
  examples: ['actorctl workers scale wordcount 3'],
  run: async (context, { actor: reference, number }) => {
    if (!/^\d{1,4}$/.test(number))
      throw usage(`"${number}" is not a valid number of workers`, 'give a whole number, like 3');
    const { call, output } = context;
    const actor = await resolveActor(context, reference);
    const params = { actorId: actor.id };
    const before = (await call('workers.list', { params })).length;
    const { workers } = await call('workers.scale', { params, body: { num: Number(number), exact: true } });
    const title = actor.name || actor.id;
    const said = workers === 0 ? `${title}: as many workers as needed` : `${title}: ${before} -> ${workers} workers`;
    output.result(said, { workers }, String(workers));
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a worker after its current execution',
  operations: ['workers.delete'],
  args: { actor: required('actor', 'actor'), worker: required('worker id', 'worker') },
  run: async (context, { actor: reference, worker: workerId }) => {
    const { call, output, prompt } = context;
    const { id: actorId } = await resolveActor(context, reference);
    await prompt.confirm(`Delete worker ${workerId}?`);
    await call('workers.delete', { params: { actorId, workerId } });
    output.result(`Worker ${workerId} will be deleted after its current execution`, { deleted: workerId }, workerId);
    return 0;
  },
});

export const workersCommand: readonly LeafEntry[] = [list, show, scale, remove];
