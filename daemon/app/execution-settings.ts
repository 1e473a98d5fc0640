// The settings of the scheduler that the configuration of the daemon decides.
import type { DaemonConfig } from '../config.ts';
import { MAILBOX_LIMITS } from '../domain/executions/mailbox.ts';
import type { SchedulerSettings } from '../scheduler/scheduler-settings.ts';

export const executionSettings = ({
  limits,
  executionRetention,
  eventRetention,
}: DaemonConfig): Partial<SchedulerSettings> => {
  const { maxWorkers, maxRunTime, memoryBytes, pids, diskBytes, mailboxBytes } = limits;
  return {
    memoryBytes,
    pids,
    diskBytes,
    mailbox: { ...MAILBOX_LIMITS, bytes: mailboxBytes },
    ...(maxWorkers !== undefined && { maxParallel: maxWorkers }),
    ...(maxRunTime !== undefined && { defaultMaxRunTimeMs: maxRunTime * 1_000 }),
    executionRetention,
    eventRetention,
  };
};
