// `workers`: the slots in which the executions of an actor run: list, show, scale, delete.
import { usage } from '../../failure.ts';
import { command, type Leaf } from '../kernel/command.ts';
import { actorHere, required } from '../kernel/option.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';
import { workerView } from '../kernel/views.ts';

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'Lists the workers of an actor.',
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
  summary: 'Shows one worker.',
  operations: ['workers.show'],
  args: { actor: required('actor'), worker: required('id of the worker') },
  run: async (context, { actor: reference, worker: workerId }) => {
    const { id: actorId } = await resolveActor(context, reference);
    context.output.item(await context.call('workers.show', { params: { actorId, workerId } }), workerView);
    return 0;
  },
});

const scale = command({
  name: 'scale',
  summary: 'Says how many workers stand ready, idle or not; 0 leaves it to the work there is. Admins only.',
  operations: ['workers.scale'],
  args: { actor: required('actor'), number: required('number of workers') },
  examples: ['actorctl workers scale wordcount 3'],
  run: async (context, { actor: reference, number }) => {
    if (!/^\d{1,4}$/.test(number))
      throw usage(`'${number}' is not a number of workers`, 'write a whole number, like 3');
    const { call, output } = context;
    const actor = await resolveActor(context, reference);
    const params = { actorId: actor.id };
    const before = (await call('workers.list', { params })).length;
    const { workers } = await call('workers.scale', { params, body: { num: Number(number), exact: true } });
    const title = actor.name || actor.id;
    const said =
      workers === 0 ? `${title}: as many workers as there is work for` : `${title}: ${before} -> ${workers} workers`;
    output.result(said, { workers }, String(workers));
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Lets a worker go as soon as it has finished what it runs.',
  operations: ['workers.delete'],
  args: { actor: required('actor'), worker: required('id of the worker') },
  run: async (context, { actor: reference, worker: workerId }) => {
    const { call, output, prompt } = context;
    const { id: actorId } = await resolveActor(context, reference);
    await prompt.confirm(`Let worker ${workerId} go?`);
    await call('workers.delete', { params: { actorId, workerId } });
    output.result(`Worker ${workerId} goes when it has finished what it runs`, { deleted: workerId }, workerId);
    return 0;
  },
});

/** `workers` */
export const workersCommand: readonly Leaf[] = [list, show, scale, remove];
