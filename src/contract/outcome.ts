// The outcome of an execution in words, the same on the dashboard and in commands.

export interface Outcome {
  readonly status: string;
  readonly exitCode?: number | null | undefined;
  readonly reason?: string | null | undefined;
  readonly statusMessage?: string | null | undefined;
}

const ENDED_BY: Readonly<Record<string, string>> = {
  timed_out: 'timed out',
  halted: 'halted',
  out_of_memory: 'out of memory',
  out_of_disk: 'out of disk',
};

const wordOf = ({ status, exitCode, reason }: Outcome): string => {
  if (status === 'SUBMITTED') return 'waiting';
  if (status !== 'COMPLETE') return status.toLowerCase().replaceAll('_', ' ');
  const by = ENDED_BY[reason ?? ''];
  if (by !== undefined) return by;
  return typeof exitCode === 'number' && exitCode !== 0 ? 'failed' : 'complete';
};

/** `waiting`, `running`, `complete`, `failed, exit 3`, `timed out`, `halted`, `error`, `cancelled`; `delivered`. */
export const formatStatus = (outcome: Outcome): string => {
  const word = wordOf(outcome);
  return word === 'failed' && outcome.status === 'COMPLETE' ? `failed, exit ${outcome.exitCode}` : word;
};

const STATUSES: Readonly<Record<string, string>> = {
  waiting: 'SUBMITTED',
  running: 'RUNNING',
  complete: 'COMPLETE',
  failed: 'COMPLETE',
  timed_out: 'COMPLETE',
  halted: 'COMPLETE',
  out_of_memory: 'COMPLETE',
  out_of_disk: 'COMPLETE',
  error: 'ERROR',
  cancelled: 'CANCELLED',
};

/** The outcomes that a search accepts: the words above, and the statuses of the API, which are in upper case. */
export const outcomes: readonly string[] = [...Object.keys(STATUSES), ...new Set(Object.values(STATUSES))];

/** An outcome as in `outcomes`. A word may have spaces or dashes. Undefined for any other text. */
export const readOutcome = (text: string): string | undefined => {
  const word = text.trim().replaceAll(/[ -]/g, '_');
  return outcomes.find((each) => each === word);
};

/** The status in the API of an execution with this outcome. */
export const statusOfOutcome = (outcome: string): string => STATUSES[outcome] ?? outcome;

/** @param outcome one of `outcomes` */
export const hasOutcome = (execution: Outcome, outcome: string): boolean =>
  outcome === execution.status || outcome === wordOf(execution).replaceAll(' ', '_');

/** The outcome in an event. An event that was emitted by hand may lack the status. */
export const formatEventOutcome = (event: {
  readonly status?: string | undefined;
  readonly exit_code?: number | undefined;
  readonly reason?: string | undefined;
}): string => {
  const { status, exit_code: exitCode, reason } = event;
  if (status !== undefined) return formatStatus({ status, exitCode, reason });
  return exitCode === undefined ? '' : `exit ${exitCode}`;
};

/** What the status does not say: the exit code of a run that was ended, and the message of the platform. */
export const formatDetail = ({ status, exitCode, reason, statusMessage }: Outcome): string => {
  const isEnded = status === 'COMPLETE' && ENDED_BY[reason ?? ''] !== undefined;
  const code = isEnded && typeof exitCode === 'number' ? `exit ${exitCode}` : '';
  return [code, statusMessage ?? ''].filter((part) => part !== '').join(': ');
};
