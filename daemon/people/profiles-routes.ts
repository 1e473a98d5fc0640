// Handlers of profiles.

import type { QueryOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { toProfile } from '../domain/people/profile.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller, Handlers } from '../http/route-handler.ts';
import type { Store } from '../ports/store.ts';

interface ProfilesDependencies {
  readonly store: Store;
  /** The base URL for links, without a trailing slash. */
  readonly baseUrl: () => string;
}

type Profile = ResultOf<Operations['profiles.me']>;

/**
 * Profiles that the caller may read. Every user may read the profiles of the same tenant, as in the original service.
 */
const profilesService = ({ store, baseUrl }: ProfilesDependencies) => {
  /**
   * Finds a profile.
   * @throws Failure NOT_FOUND, even for the caller's own profile if the caller was just deleted
   */
  const show = ({ tenant }: Caller, username: string): Profile => {
    const user = store.get('users', joinKey(tenant, username));
    if (user === undefined) throw new Failure('NOT_FOUND', `There is no user "${username}". Check the name.`);
    return toProfile(user, baseUrl());
  };
  return {
    show,

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

/** Makes the handlers. @see docs/conformance/spec.md#endpoints, docs/conformance/security.md R86 */
export const profilesHandlers = (
  dependencies: ProfilesDependencies,
): Handlers<'profiles.me' | 'profiles.list' | 'profiles.show'> => {
  const service = profilesService(dependencies);
  return {
    'profiles.me': ({ caller }) => ({ result: service.me(caller), message: 'Profile retrieved successfully.' }),
    'profiles.list': ({ caller, query }) => ({
      result: service.list(caller, query),
      message: 'Profiles retrieved successfully.',
    }),
    'profiles.show': ({ caller, params }) => ({
      result: service.show(caller, params.username),
      message: 'Profile retrieved successfully.',
    }),
  };
};
