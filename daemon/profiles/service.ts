// Profiles: who the caller is.
import { Failure } from '../domain/failure.ts';
import { toProfile } from '../domain/profile.ts';
import { joinKey } from '../domain/records.ts';
import type { Caller } from '../http/on.ts';
import type { Store } from '../ports/store.ts';

export interface ProfilesDependencies {
  readonly store: Store;
  /** The origin of the links, without a slash at its end. */
  readonly baseUrl: () => string;
}

export const profilesService = ({ store, baseUrl }: ProfilesDependencies) => ({
  /** The profile of the token's user. @throws Failure NOT_FOUND when the user was deleted a moment ago */
  me: ({ tenant, username }: Caller) => {
    const user = store.get('users', joinKey(tenant, username));
    if (user === undefined) throw new Failure('NOT_FOUND', `There is no user ${username} any more.`);
    return toProfile(user, baseUrl());
  },
});
