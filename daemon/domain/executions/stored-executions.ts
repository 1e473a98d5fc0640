// The usage figures of stored executions, and the deletion of executions without losing their figures.
import type { EngineNode } from '../../ports/executor.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { type Figures, runtimeMs, type TotalsRecord, totalsKey, withDeletedExecution } from './execution-totals.ts';

/**
 * The figures of an actor's stored executions until `now`. The store keeps the sums of ended executions, so only the
 * running ones are read.
 */
export const storedFigures = (view: ReadView, actorId: string, now: number): Figures => {
  const running = view.by('executions', 'running', 'yes').filter((execution) => execution.actorId === actorId);
  const runningMs = running.map((execution) => runtimeMs(execution, now)).reduce((sum, ms) => sum + ms, 0);
  return {
    executions: view.countBy('executions', 'actor', actorId),
    runtimeMs: view.sumBy('executions', 'runtimeMs', actorId) + runningMs,
    cpu: view.sumBy('executions', 'cpuNs', actorId),
    io: view.sumBy('executions', 'ioBytes', actorId),
  };
};

/** @param tenant counts only executions of this tenant */
export const nodesWithExecutions = (
  view: ReadView,
  nodes: readonly EngineNode[],
  tenant?: string,
): readonly (EngineNode & { readonly executions: number })[] => {
  if (nodes.length === 0) return [];
  const running = view.by('executions', 'running', 'yes').filter((each) => each.tenant === (tenant ?? each.tenant));
  return nodes.map((node) => ({ ...node, executions: running.filter((each) => each.node === node.name).length }));
};

/** Deletes executions and adds their figures to the totals of their actors. Ids without a record are ignored. */
export const deleteExecutions = (tx: Transaction, executionIds: readonly string[], now: number): void => {
  const totals = new Map<string, TotalsRecord>();
  for (const id of executionIds) {
    const execution = tx.get('executions', id);
    if (execution === undefined) continue;
    const key = totalsKey(execution);
    totals.set(key, withDeletedExecution(totals.get(key) ?? tx.get('totals', key), execution, now));
    tx.delete('executions', id);
  }
  for (const record of totals.values()) tx.put('totals', record);
};
