// Names of logged-in users for input and output. Equal user names in two tenants belong to different users.
import type { Login } from './account-record.ts';

/** The user of a login. The tenant is null if the service did not name it. */
export type LoginUser = Pick<Login, 'username' | 'tenant'>;

const withTenant = ({ username, tenant }: LoginUser): string =>
  tenant === null ? `${username}` : `${tenant}/${username}`;

/** Splits `LAB/ana` into tenant and name. */
export const splitUserName = (name = ''): { readonly tenant?: string; readonly username: string } => {
  const [, tenant, username] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  return tenant === undefined || username === undefined ? { username: name } : { tenant, username };
};

/** The names of users, with the tenant (`LAB/ana`) where two of them have the same name. */
export const userNames = (users: readonly LoginUser[]): readonly string[] =>
  users.map((user) => {
    if (user.username === null) return 'unknown user';
    const isShared = users.some((each) => each !== user && each.username === user.username);
    return isShared ? withTenant(user) : user.username;
  });

/**
 * The users that a name may refer to. `LAB/ana` is the user of that tenant. `ana` is the user shown without a tenant,
 * if there is one; otherwise the users of all tenants with that name.
 */
export const usersNamed = <T extends LoginUser>(users: readonly T[], name: string): readonly T[] => {
  const names = userNames(users);
  const exact = users.filter((_, index) => names[index] === name);
  return exact.length > 0 ? exact : users.filter((user) => user.username === name || withTenant(user) === name);
};

/** True if the two logins certainly belong to different users. An unknown tenant may be any tenant. */
export const areDifferent = (one: LoginUser, other: LoginUser): boolean =>
  one.username !== other.username || (one.tenant ?? other.tenant) !== (other.tenant ?? one.tenant);
