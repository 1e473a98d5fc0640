// The detail view of an execution: outcome, message, cause, times and resource use.

import { fields } from '../../contract/for-client.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { formatBytes } from '../../ui/format/table.ts';
import type { Column, View } from '../../ui/format/view.ts';
import { ACTOR, ACTOR_ID, type OfActor } from '../framework/actor-names.ts';
import { between, type Execution, isRunning } from '../framework/views.ts';

type NamedExecution = Execution & OfActor;

/** Number of characters of the message to show. */
const PREVIEW = 200;
const SECOND_MS = 1_000;
const NS_PER_MS = 1_000_000;

const preview = ({ message }: Execution): string | undefined => {
  if (message === undefined) return undefined;
  const { text } = message;
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
};

const under = (section: string, columns: readonly Column<NamedExecution>[]): readonly Column<NamedExecution>[] =>
  columns.map((column) => ({ ...column, section }));

const logCut = ({ logLeftOut: bytes, status }: Execution): string | undefined => {
  if (bytes === undefined || bytes === 0) return undefined;
  if (bytes !== null) return `cut in the middle: at least ${formatBytes(bytes)} left out`;
  return status === 'RUNNING' ? 'at its size limit: the last part follows at the end' : 'cut: the end is not known';
};

export const executionView: View<NamedExecution> = {
  id: ({ id }) => id,
  fields: [...fields.execution, 'actorName'],
  columns: [
    ...under('Execution', [
      { header: 'EXECUTION', value: ({ id }) => id },
      ACTOR,
      ACTOR_ID,
      { header: 'STATUS', value: ({ status }) => status, words: formatStatus, kind: 'status' },
      { header: 'EXIT', value: ({ exitCode }) => exitCode, kind: 'number' },
      { header: 'REASON', value: ({ reason }) => reason },
      { header: 'LAST STDERR', value: ({ lastStderr }) => lastStderr },
      { header: 'STATUS MESSAGE', value: ({ statusMessage }) => statusMessage },
      { header: 'WARNINGS', value: ({ warnings }) => warnings?.join('; ') },
      { header: 'WORKER', value: ({ workerId }) => workerId },
      { header: 'NODE', value: ({ node }) => node },
    ]),
    ...under('Message', [
      { header: 'EXECUTOR', value: ({ executor }) => executor },
      { header: 'TRIGGER', value: ({ trigger }) => trigger },
      { header: 'RERUN OF', value: ({ rerunOf }) => rerunOf },
      { header: 'EVENT', value: ({ causedBy }) => causedBy?.event },
      { header: 'DELIVERY', value: ({ causedBy }) => causedBy?.deliveryId },
      { header: 'SENT BY', value: ({ causedBy }) => causedBy?.executionId },
      { header: 'NONCE', value: ({ causedBy }) => causedBy?.nonceId },
      { header: 'SCHEDULED', value: ({ causedBy }) => causedBy?.scheduledTime, kind: 'time' },
      { header: 'TYPE', value: ({ message }) => message?.type },
      { header: 'MESSAGE', value: preview },
      { header: 'VARIABLES', value: ({ variables }) => variables?.join(', ') },
    ]),
    ...under('Times and usage', [
      { header: 'RECEIVED', value: ({ messageReceivedTime }) => messageReceivedTime, kind: 'time' },
      { header: 'STARTED', value: ({ startTime }) => startTime, kind: 'time' },
      { header: 'FINISHED', value: ({ finishTime }) => finishTime, kind: 'time' },
      { header: 'QUEUED', value: (row) => between(row.messageReceivedTime, row.startTime), kind: 'duration' },
      {
        header: 'RUNTIME',
        value: ({ runtimeMs, runtime }) => runtimeMs ?? runtime * SECOND_MS,
        kind: 'duration',
        soFar: isRunning,
      },
      { header: 'CPU', value: ({ cpu }) => (cpu === undefined ? undefined : cpu / NS_PER_MS), kind: 'duration' },
      { header: 'LOG', value: logCut },
      { header: 'IO', value: ({ io }) => io, kind: 'bytes' },
    ]),
  ],
};
