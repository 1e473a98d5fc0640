// Deletes expired executions with their logs: first the old ones, then the oldest beyond the limits on their number.
import { endOf, receivedBefore } from '../domain/events/retention.ts';
import { finalStatuses } from '../domain/executions/execution-status.ts';
import { deleteExecutions } from '../domain/executions/stored-executions.ts';
import type { ExecutionRecord } from '../domain/records/actor-records.ts';
import { actorStatusKey } from '../domain/records/collections.ts';
import { SLICE } from '../domain/records/slices.ts';
import { readInSlices } from './read-in-slices.ts';
import type { SchedulerContext } from './scheduler-context.ts';

type Context = Pick<SchedulerContext, 'store' | 'logs' | 'clock' | 'signal'> & {
  readonly settings: Pick<SchedulerContext['settings'], 'executionRetention'>;
};

const deleteSlice = async ({ store, logs, clock }: Context, slice: readonly ExecutionRecord[]): Promise<void> => {
  if (slice.length === 0) return;
  const ids = slice.map(({ id }) => id);
  // Logs are deleted before records, because without its record no log file could be found.
  await logs.delete(ids);
  await store.transact((tx) => deleteExecutions(tx, ids, clock.now()));
};

export const endedOf = (actorId: string): readonly string[] =>
  finalStatuses.map((status) => actorStatusKey(actorId, status));

/** The executions that ended before `time`, in slices. @param ended values of the index `actorStatus` */
export const endedBefore = async function* (
  { store, signal }: Pick<Context, 'store' | 'signal'>,
  ended: readonly string[],
  time: number,
): AsyncGenerator<readonly ExecutionRecord[]> {
  const received = receivedBefore(store.each('executions', 'actorStatus', ended), time);
  for await (const slice of readInSlices(received, signal)) yield slice.filter((execution) => endOf(execution) < time);
};

const deleteOld = async (context: Context, ended: readonly string[]): Promise<void> => {
  const time = context.clock.now() - context.settings.executionRetention.ageMs;
  for await (const expired of endedBefore(context, ended, time)) await deleteSlice(context, expired);
};

/** Deletes the oldest executions until `most` are left. @param ended values of the index `actorStatus` */
const deleteBeyond = async (context: Context, ended: readonly string[], most: number): Promise<void> => {
  const { store, signal } = context;
  for (;;) {
    const limit = Math.min(SLICE, store.countBy('executions', 'actorStatus', ended) - most);
    if (limit <= 0) return;
    await deleteSlice(context, store.page('executions', 'actorStatus', ended, { limit }));
    signal.throwIfAborted();
  }
};

/**
 * Deletes executions that ended too long ago, or that are beyond the newest ones of their actor or tenant. Newest means
 * received last. Executions that have not ended neither count nor expire. It reads only the executions that it deletes
 * and, for each actor, those that were waiting or running at the age limit and one more.
 */
export const deleteExpiredExecutions = async (context: Context): Promise<void> => {
  const { perActor, total } = context.settings.executionRetention;
  const endedOfTenants = new Map<string, string[]>();
  for (const { id, tenant } of context.store.all('actors')) {
    const ended = endedOf(id);
    endedOfTenants.set(tenant, [...(endedOfTenants.get(tenant) ?? []), ...ended]);
    await deleteOld(context, ended);
    await deleteBeyond(context, ended, perActor);
  }
  for (const ended of endedOfTenants.values()) await deleteBeyond(context, ended, total);
};
