// Converts records to rows of a search result, with every field of their kind. @see docs/http-api.md#search
import { actor } from '../../../src/contract/actors/actors.ts';
import { execution } from '../../../src/contract/actors/executions.ts';
import { worker } from '../../../src/contract/actors/workers.ts';
import type { ActorRecord, ExecutionRecord, WorkerRecord } from '../../domain/records/actor-records.ts';
import { JsonText } from '../../http/response/json-text.ts';
import type { Caller } from '../../http/route-handler.ts';
import { maySeeMessage } from '../access.ts';
import { type Addresses, createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { executionView, messageView } from '../executions/view.ts';
import { actorView } from '../registry/view.ts';
import { withWebhookFor } from '../webhook-sight.ts';
import { workerView } from '../workers/view.ts';

export type Row = Readonly<Record<string, unknown>>;

const nullsFor = (shape: object, ...hidden: readonly string[]): Row =>
  Object.fromEntries(
    Object.keys(shape)
      .filter((name) => !hidden.includes(name))
      .map((name) => [name, null]),
  );

const actorNulls = nullsFor(
  actor.shape,
  'totalExecutions',
  'lastExecutionTime',
  'linkedActor',
  'linkProblem',
  'webhookProblem',
);
const executionNulls = nullsFor(execution.shape, 'apiServer', 'variables', 'logLeftOut');
const workerNulls = nullsFor(worker.shape, 'tenant');

const logLinks = (addresses: Addresses, { id, actorId }: ExecutionRecord, owner: string) => ({
  self: addresses.logs(actorId, id),
  owner: addresses.profile(owner),
  execution: addresses.execution(actorId, id),
});

export const rowsOf = ({ store, clock, baseUrl }: Pick<ActorsDependencies, 'store' | 'clock' | 'baseUrl'>) => {
  const addresses = createAddresses(baseUrl);
  return {
    actor: (record: ActorRecord, caller: Caller): Row => ({
      ...actorNulls,
      ...actorView(withWebhookFor(store, caller, record), store.by('states', 'actor', record.id), addresses),
    }),

    /** The message is null if the caller may not see it, or if it is binary. */
    execution(record: ExecutionRecord, caller: Caller): Row {
      const { apiServer: _apiServer, ...view } = executionView(record, addresses, clock.now());
      const actor = store.get('actors', record.actorId);
      const { message } = actor !== undefined && maySeeMessage(actor, caller) ? messageView(record) : {};
      return { ...executionNulls, ...view, ...(message?.type !== 'binary' && { message: message ?? null }) };
    },

    worker(record: WorkerRecord): Row {
      const { tenant: _tenant, ...view } = workerView(store, record);
      return { ...workerNulls, ...view };
    },

    log: (record: ExecutionRecord, owner: string, logs: string): Row => ({
      executionId: record.id,
      actorId: record.actorId,
      logs,
      _links: logLinks(addresses, record, owner),
    }),
  };
};

/** The row against which search conditions are evaluated: its embedded JSON text is parsed. */
export const searchableRow = (row: Row): Row => {
  const texts = Object.entries(row).filter(([, value]) => value instanceof JsonText);
  if (texts.length === 0) return row;
  const read = texts.map(([name, value]) => [name, value instanceof JsonText ? JSON.parse(value.text) : value]);
  return { ...row, ...Object.fromEntries(read) };
};
