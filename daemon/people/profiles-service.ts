// Shows the profiles of the caller and of the users of the same tenant. @see docs/protocol.md 2.2, 4.2
import type { QueryOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { toProfile } from '../domain/people/profile.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Store } from '../ports/store.ts';

export interface ProfilesDependencies {
  readonly store: Store;
  /** The base URL for links, without a trailing slash. */
  readonly baseUrl: () => string;
}

type Profile = ResultOf<Operations['profiles.me']>;

/** Every user may read the profiles of the own tenant, as in the original service. */
export const profilesService = ({ store, baseUrl }: ProfilesDependencies) => {
  /** @throws Failure NOT_FOUND, also for the caller if that user was just deleted */
  const show = ({ tenant }: Caller, username: string): Profile => {
    const user = store.get('users', joinKey(tenant, username));
    if (user === undefined) throw new Failure('NOT_FOUND', `There is no user "${username}". Check the name.`);
    return toProfile(user, baseUrl());
  };
  return {
    show,

    /** The caller's own profile. @throws Failure NOT_FOUND */
    me: (caller: Caller): Profile => show(caller, caller.username),

    /** The profiles that match all given fields, oldest first. An empty field matches everything. */
    list: ({ tenant }: Caller, asked: QueryOf<Operations['profiles.list']>): Profile[] =>
      store
        .by('users', 'tenant', tenant)
        .map((user) => toProfile(user, baseUrl()))
        .filter(
          ({ username, email, first_name, last_name }) =>
            (asked.username || username) === username &&
            (asked.email || email) === email &&
            (asked.first_name || first_name) === first_name &&
            (asked.last_name || last_name) === last_name,
        ),
  };
};
