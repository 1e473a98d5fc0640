// How many messages may wait for an actor, by their number and by their bytes.
import type { ReadView } from '../../ports/store.ts';

export interface MailboxLimits {
  readonly messages: number;
  readonly bytes: number;
}

/** The limits by default. */
export const MAILBOX_LIMITS: MailboxLimits = { messages: 10_000, bytes: 256 * 1024 * 1024 };

/** The limits of an instance, with the defaults for those that it does not set. */
export const mailboxLimitsOf = ({
  queueLimit = MAILBOX_LIMITS.messages,
  mailboxLimit = MAILBOX_LIMITS.bytes,
}: {
  readonly queueLimit?: number;
  readonly mailboxLimit?: number;
}): MailboxLimits => ({ messages: queueLimit, bytes: mailboxLimit });

/** What waits for an actor. */
export interface MailboxUse {
  readonly messages: number;
  readonly bytes: number;
}

/** Reads what waits for an actor. */
export const mailboxUse = (view: ReadView, actorId: string): MailboxUse => ({
  messages: view.countBy('messages', 'actor', actorId),
  bytes: view.sumBy('messages', 'bytes', actorId),
});

/** Whether one more message of this size (bytes) may wait. An empty mailbox takes a message of any size. */
export const hasRoom = (use: MailboxUse, size: number, limits: MailboxLimits): boolean =>
  use.messages < limits.messages && (use.messages === 0 || use.bytes + size <= limits.bytes);
