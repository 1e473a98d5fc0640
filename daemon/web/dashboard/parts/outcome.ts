// Describes the outcome of an execution.

interface Outcome {
  readonly status: string;
  readonly exitCode?: number | null | undefined;
  readonly reason?: string | null | undefined;
  readonly statusMessage?: string | null | undefined;
}

export const hasFailed = ({ status, exitCode }: Outcome): boolean =>
  status === 'ERROR' || (status === 'COMPLETE' && typeof exitCode === 'number' && exitCode !== 0);

/** Why an execution ended: `exit 1`, `timed out`, or the message of the platform. Empty while it runs. */
export const formatReason = ({ exitCode, reason, statusMessage }: Outcome): string => {
  const code = typeof exitCode === 'number' ? `exit ${exitCode}` : '';
  const end = reason === undefined || reason === null || reason === 'exited' ? code : reason.replaceAll('_', ' ');
  return [end, statusMessage ?? ''].filter((part) => part !== '').join(': ');
};
