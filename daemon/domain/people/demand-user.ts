// Checks that the user of a request still exists.
import type { ReadView } from '../../ports/store.ts';
import { Failure } from '../failure.ts';
import { joinKey } from '../records/record-key.ts';

/**
 * Call it in the transaction that creates an object of the user. The user may have been deleted since the request was
 * authenticated, and a later user with the same name would then get the object.
 */
export const demandUser = (
  view: Pick<ReadView, 'get'>,
  { tenant, username }: { readonly tenant: string; readonly username: string },
): void => {
  if (view.get('users', joinKey(tenant, username)) !== undefined) return;
  throw new Failure('AUTH_FAILED', `The user "${username}" has been deleted. Nothing was created.`);
};
