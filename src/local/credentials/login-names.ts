// Names of logged-in users as people type and read them. The same user name in two tenants is two users.
import type { Login } from './account-record.ts';

/** The user of a login. The tenant is null if the service did not name it. */
export type LoginUser = Pick<Login, 'username' | 'tenant'>;

const withTenant = ({ username, tenant }: LoginUser): string =>
  tenant === null ? `${username}` : `${tenant}/${username}`;

/** The names of users, with the tenant (`LAB/ana`) where two of them have the same name. */
export const userNames = (users: readonly LoginUser[]): readonly string[] =>
  users.map((user) => {
    if (user.username === null) return 'unknown user';
    const isShared = users.some((each) => each !== user && each.username === user.username);
    return isShared ? withTenant(user) : user.username;
  });

/**
 * The users that a name can mean: `LAB/ana` the one of that tenant, `ana` the one that has no other name (its tenant is
 * unknown, or the name is not shared), else those of all tenants.
 */
export const usersNamed = <T extends LoginUser>(users: readonly T[], name: string): readonly T[] => {
  const names = userNames(users);
  const exact = users.filter((_, index) => names[index] === name);
  return exact.length > 0 ? exact : users.filter((user) => user.username === name || withTenant(user) === name);
};

/** True if the two are certainly different users. An unknown tenant can be any tenant. */
export const areDifferent = (one: LoginUser, other: LoginUser): boolean =>
  one.username !== other.username || (one.tenant ?? other.tenant) !== (other.tenant ?? one.tenant);
