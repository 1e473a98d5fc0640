// Shows and halts executions and follows their logs.
import type { LogLine } from '../../../src/contract/actors/executions.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, ExecutionRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import { hasLevel } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'scheduler' | 'logs'>;

export type Executions = ReturnType<typeof executions>;

const mayWrite = (execution: ExecutionRecord | undefined): boolean =>
  execution?.status === 'SUBMITTED' || execution?.status === 'RUNNING';

export const executions = ({ store, scheduler, logs }: Dependencies) => {
  const show = (actorId: string, executionId: string): ExecutionRecord => {
    const execution = store.get('executions', executionId);
    if (execution?.actorId === actorId) return execution;
    throw new Failure(
      'NOT_FOUND',
      'This actor has no such execution. Check the id. The list of its executions shows them all.',
    );
  };

  return {
    /** Executions in the order in which their messages arrived. */
    list: (actorId: string): Iterable<ExecutionRecord> => store.each('executions', 'actor', actorId),

    show,

    /** Finds an execution by its id alone. An execution of an actor that the caller may not read is NOT_FOUND. */
    find(caller: Caller, executionId: string): { readonly actor: ActorRecord; readonly execution: ExecutionRecord } {
      const execution = store.get('executions', executionId);
      const actor = execution && store.get('actors', execution.actorId);
      // The tenant is compared first, because a role would pass the level check.
      if (actor?.tenant === caller.tenant && hasLevel(actor, caller, 'READ') && execution) return { actor, execution };
      throw new Failure(
        'NOT_FOUND',
        'There is no such execution. Check the id. The list of executions shows those of actors that you may read.',
      );
    },

    /** Resolves once the halt request is durable and the signal is being sent. */
    async halt(actorId: string, executionId: string, graceMs?: number): Promise<void> {
      const { status } = show(actorId, executionId);
      if (status !== 'RUNNING') {
        throw new Failure('NOT_RUNNING', `Only a running execution can be halted. This one is ${status}.`, { status });
      }
      await scheduler.halt(executionId, graceMs);
    },

    /** Yields the lines after a cursor and every new line, until the log is complete or the signal fires. */
    follow(executionId: string, after: string | undefined, signal: AbortSignal): AsyncIterable<LogLine> {
      const waitForStart = () => mayWrite(store.get('executions', executionId));
      return logs.follow(executionId, { after, waitForStart, signal });
    },

    /** Resolves with undefined if the execution has been deleted. Rejects when the signal fires. */
    async waitForEnd(executionId: string, signal: AbortSignal): Promise<ExecutionRecord | undefined> {
      await scheduler.finished(executionId, signal);
      return store.get('executions', executionId);
    },
  };
};
