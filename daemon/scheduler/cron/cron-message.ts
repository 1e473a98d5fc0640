// The message that a schedule puts into the mailbox of its actor.
import { putMessage } from '../../domain/executions/put-message.ts';
import type { ActorRecord, CronRun } from '../../domain/records/actor-records.ts';
import { CRON, CRON_MESSAGE } from '../../domain/schedule/cron-plan.ts';
import type { Transaction } from '../../ports/store.ts';

export const cronText = ({ cron }: Pick<ActorRecord, 'cron'>): string => cron?.message ?? CRON_MESSAGE;

/** Puts the message of one scheduled run. The caller advances the schedule in the same transaction. */
export const putCronMessage = (
  tx: Transaction,
  actor: ActorRecord,
  cron: CronRun,
  { executionId, receivedAt }: { readonly executionId: string; readonly receivedAt: number },
): void => {
  const text = cronText(actor);
  putMessage(
    tx,
    actor,
    {
      executionId,
      executor: CRON,
      receivedAt,
      contentType: 'str',
      text,
      bodyFile: null,
      size: Buffer.byteLength(text),
      variables: {},
      cron,
    },
    { cause: { scheduledAt: cron.scheduledAt } },
  );
};
