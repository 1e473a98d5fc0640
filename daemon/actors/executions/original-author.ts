// Finds the author of the variables of an earlier message, for a rerun.
import { heldReachOf } from '../../domain/executions/token-reach.ts';
import type { ExecutionRecord } from '../../domain/records/actor-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { ReadView } from '../../ports/store.ts';
import type { Author } from '../messages/service.ts';

/**
 * The sender of the original message, with present roles. A rerun sets what this sender may set now: otherwise a sender
 * could repeat a variable that the owner has since withdrawn. The token of an execution has no roles, and the reach that
 * a token of its actor has now.
 */
export const originalAuthor = (
  view: Pick<ReadView, 'get'>,
  { tenant, executor: username, cause }: Pick<ExecutionRecord, 'tenant' | 'executor' | 'cause'>,
): Author => {
  const origin = cause?.executionId;
  const user = origin === undefined ? view.get('users', joinKey(tenant, username)) : undefined;
  const sender = origin === undefined ? undefined : view.get('executions', origin);
  return {
    tenant,
    username,
    roles: user?.roles ?? [],
    ...(origin !== undefined && { reach: heldReachOf(view.get('actors', sender?.actorId ?? '')) }),
    ...(cause?.nonceId !== undefined && { nonceId: cause.nonceId }),
  };
};
