// A status as text with a mark, so that it is not shown by colour alone.

import { formatStatus, type Outcome } from '../../../../src/contract/outcome.ts';
import { hasFailed } from './outcome.ts';

const KINDS: Readonly<Record<string, string>> = {
  READY: 'ok',
  COMPLETE: 'ok',
  DELIVERED: 'ok',
  RUNNING: 'run',
  SENDING: 'run',
  BUSY: 'run',
  SUBMITTED: 'wait',
  WAITING: 'wait',
  ERROR: 'bad',
  FAILED: 'bad',
  UNKNOWN: 'warn',
  CANCELLED: 'off',
  DROPPED: 'off',
  SHUTTING_DOWN: 'off',
};

export const Status = ({ status }: { readonly status: string }) => (
  <span class={`status is-${KINDS[status] ?? 'off'}`}>{status.toLowerCase().replaceAll('_', ' ')}</span>
);

/** The outcome of an execution. */
export const ExecutionStatus = ({ execution }: { readonly execution: Outcome }) => {
  const { status, reason } = execution;
  const kind = hasFailed(execution) ? 'bad' : status === 'COMPLETE' && reason === 'halted' ? 'off' : KINDS[status];
  return <span class={`status is-${kind ?? 'off'}`}>{formatStatus(execution)}</span>;
};
