// Describes the outcome of an execution in words.

export interface Outcome {
  readonly status: string;
  readonly exitCode?: number | null | undefined;
  readonly reason?: string | null | undefined;
  readonly statusMessage?: string | null | undefined;
}

/** True if a program ended by itself with another code than 0, ran into a limit, or could not run. */
export const hasFailed = ({ status, exitCode, reason }: Outcome): boolean =>
  status === 'ERROR' ||
  (status === 'COMPLETE' && reason !== 'halted' && typeof exitCode === 'number' && exitCode !== 0);

const ENDED_BY: Readonly<Record<string, string>> = {
  timed_out: 'timed out',
  halted: 'halted',
  out_of_memory: 'out of memory',
  out_of_disk: 'out of disk',
};

/** `waiting`, `running`, `complete`, `failed, exit 3`, `timed out`, `halted`, `error`, `cancelled`. */
export const formatStatus = ({ status, exitCode, reason }: Outcome): string => {
  if (status === 'SUBMITTED') return 'waiting';
  if (status !== 'COMPLETE') return status.toLowerCase().replaceAll('_', ' ');
  const by = ENDED_BY[reason ?? ''];
  if (by !== undefined) return by;
  return typeof exitCode === 'number' && exitCode !== 0 ? `failed, exit ${exitCode}` : 'complete';
};

/** What the status does not say: the exit code of a run that was ended, and the message of the platform. */
export const formatDetail = ({ status, exitCode, reason, statusMessage }: Outcome): string => {
  const isEnded = status === 'COMPLETE' && ENDED_BY[reason ?? ''] !== undefined;
  const code = isEnded && typeof exitCode === 'number' ? `exit ${exitCode}` : '';
  return [code, statusMessage ?? ''].filter((part) => part !== '').join(': ');
};
