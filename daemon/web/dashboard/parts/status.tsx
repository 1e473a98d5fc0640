// A status as text with a mark, so that it is not shown by colour alone.

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

/** @param failed an execution that is COMPLETE with another exit code than 0 */
export const Status = ({ status, failed = false }: { readonly status: string; readonly failed?: boolean }) => (
  <span class={`status is-${failed ? 'bad' : (KINDS[status] ?? 'off')}`}>
    {status.toLowerCase().replaceAll('_', ' ')}
  </span>
);
