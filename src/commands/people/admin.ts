// `admin`: lists actors, workers and executions of all users of the tenant, and images. Admins only.
import type { CommandContext } from '../../context.ts';
import { fields } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import type { View } from '../../ui/format/view.ts';
import { ACTOR, ACTOR_ID, nameRow, type OfActor } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { flag } from '../framework/option.ts';
import { workerView } from '../framework/views.ts';
import { sourceCommands } from './sources.ts';

const SECOND_MS = 1_000;

type OverseenActor = ResultOf<Operations['admin.actors']>[number];
type Sums = ResultOf<Operations['admin.executions']>;
type ActorSums = Sums['actors'][number];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const actorView: View<OverseenActor> = {
  id: ({ id }) => id,
  name: (row) => text(row['name']),
  columns: [
    { header: 'NAME', value: (row) => text(row['name']) || row.id, role: 'name' },
    { header: 'ID', value: ({ id }) => id, role: 'id', wide: true },
    { header: 'OWNER', value: ({ owner }) => owner },
    { header: 'STATUS', value: ({ status }) => status, kind: 'status' },
    { header: 'WORKERS', value: ({ workers }) => workers.length, kind: 'number' },
    { header: 'WAITING', value: ({ messages }) => messages, kind: 'number' },
    { header: 'EXECUTIONS', value: ({ executions }) => executions, kind: 'number' },
    { header: 'RUNTIME', value: ({ runtimeMs, runtime }) => runtimeMs ?? runtime * SECOND_MS, kind: 'duration' },
    { header: 'IMAGE', value: (row) => text(row['image']), wide: true },
  ],
};

const namesOfAll = async ({ call }: Pick<CommandContext, 'call'>): Promise<ReadonlyMap<string, string>> =>
  new Map((await call('admin.actors')).flatMap((row) => (text(row['name']) ? [[row.id, text(row['name'])]] : [])));

const actors = command({
  name: 'actors',
  summary: 'List all actors of the tenant',
  operations: ['admin.actors'],
  list: true,
  run: async ({ call, output }) => {
    output.rows(await call('admin.actors'), actorView);
    return 0;
  },
});

const workers = command({
  name: 'workers',
  summary: 'List all workers of the tenant',
  operations: ['admin.workers'],
  list: true,
  run: async ({ call, output }) => {
    const names = await namesOfAll({ call });
    const { summary, workers: rows } = await call('admin.workers');
    const [first, ...columns] = workerView.columns;
    output.rows(
      rows.map((row) => nameRow(row, names)),
      { id: ({ id }) => id, columns: [...(first ? [first] : []), ACTOR, ...columns, ACTOR_ID] },
    );
    output.note(
      `${summary.totalWorkers} workers: ${summary.readyWorkers} ready, ${summary.busyWorkers} busy, ` +
        `${summary.requestedWorkers} starting, ${summary.errorWorkers} in error; ` +
        `${summary.actorsNoWorkers} actors have no worker`,
    );
    return 0;
  },
});

const sumsView: View<ActorSums & OfActor> = {
  id: ({ actorId }) => actorId,
  name: ({ actorName, actorId }) => actorName ?? actorId,
  fields: [...fields.executionSums, 'actorName'],
  columns: [
    ACTOR,
    { header: 'OWNER', value: ({ owner }) => owner },
    { header: 'EXECUTIONS', value: ({ totalExecutions }) => totalExecutions, kind: 'number' },
    {
      header: 'RUNTIME',
      value: ({ totalExecutionRuntimeMs, totalExecutionRuntime }) =>
        totalExecutionRuntimeMs ?? totalExecutionRuntime * SECOND_MS,
      kind: 'duration',
    },
    { header: 'CPU', value: ({ totalExecutionCpu }) => totalExecutionCpu / 1_000_000, kind: 'duration' },
    { header: 'IO', value: ({ totalExecutionIo }) => totalExecutionIo, kind: 'bytes' },
    { header: 'IMAGE', value: ({ image }) => image, wide: true },
    ACTOR_ID,
  ],
};

const totalsView: View<Sums['summary']> = {
  id: ({ totalExecutionsAll }) => String(totalExecutionsAll),
  fields: fields.executionTotals,
  columns: [
    { header: 'ACTORS', value: ({ totalActorsExisting }) => totalActorsExisting, kind: 'number' },
    { header: 'ACTORS TOTAL', value: ({ totalActorsAll }) => totalActorsAll, kind: 'number' },
    { header: 'EXECUTIONS', value: ({ totalExecutionsExisting }) => totalExecutionsExisting, kind: 'number' },
    { header: 'EXECUTIONS TOTAL', value: ({ totalExecutionsAll }) => totalExecutionsAll, kind: 'number' },
    {
      header: 'RUNTIME TOTAL',
      value: ({ totalExecutionRuntimeMsAll, totalExecutionRuntimeAll }) =>
        totalExecutionRuntimeMsAll ?? totalExecutionRuntimeAll * SECOND_MS,
      kind: 'duration',
    },
    { header: 'CPU TOTAL', value: ({ totalExecutionCpuAll }) => totalExecutionCpuAll / 1_000_000, kind: 'duration' },
    { header: 'IO TOTAL', value: ({ totalExecutionIoAll }) => totalExecutionIoAll, kind: 'bytes' },
  ],
};

const executions = command({
  name: 'executions',
  summary: 'Show the execution totals of each actor of the tenant',
  details: 'Includes executions that were deleted.',
  operations: ['admin.executions'],
  options: { total: flag('--total', 'show the totals of the tenant, including deleted actors') },
  list: true,
  run: async ({ call, output }, _args, { total }) => {
    const names = total ? new Map<string, string>() : await namesOfAll({ call });
    const { summary, actors: rows } = await call('admin.executions');
    if (total) output.item(summary, totalsView);
    else {
      output.rows(
        rows.map((row) => nameRow(row, names)),
        sumsView,
      );
    }
    return 0;
  },
});

export const adminCommand: readonly LeafEntry[] = [actors, workers, executions, ...sourceCommands];
