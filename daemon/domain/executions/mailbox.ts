// The limits of an actor's mailbox: number and total bytes of waiting messages.
import type { ReadView } from '../../ports/store.ts';

export interface MailboxLimits {
  readonly messages: number;
  readonly bytes: number;
}

export const MAILBOX_LIMITS: MailboxLimits = { messages: 10_000, bytes: 256 * 1024 * 1024 };

export const mailboxLimitsOf = ({
  queueLimit = MAILBOX_LIMITS.messages,
  mailboxLimit = MAILBOX_LIMITS.bytes,
}: {
  readonly queueLimit?: number;
  readonly mailboxLimit?: number;
}): MailboxLimits => ({ messages: queueLimit, bytes: mailboxLimit });

export interface MailboxUse {
  readonly messages: number;
  readonly bytes: number;
}

export const mailboxUse = (view: ReadView, actorId: string): MailboxUse => ({
  messages: view.countBy('messages', 'actor', actorId),
  bytes: view.sumBy('messages', 'bytes', actorId),
});

/** True if a message of `size` bytes fits. An empty mailbox accepts a message of any size. */
export const hasRoom = (use: MailboxUse, size: number, limits: MailboxLimits): boolean =>
  use.messages < limits.messages && (use.messages === 0 || use.bytes + size <= limits.bytes);
