// A stored account: the client of this program at a service, and the logged-in users. Every command with a login
// reads an account, so the code validates it without schemas: loading schemas takes longer than reading the file.

import { timedFlows } from '../../contract/for-client.ts';

const flows = [...timedFlows, 'token'] as const;

export interface Login {
  readonly username: string | null;
  readonly tenant: string | null;
  readonly flow: (typeof flows)[number];
  readonly clientId: string | null;
  /** Present only for a client that this program did not register. */
  readonly clientSecret?: string;
  /** True for a public client, which has no secret. */
  readonly publicClient?: true;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** Milliseconds since the epoch. Null: unknown. */
  readonly expiresAt: number | null;
}

export interface AccountRecord {
  readonly client?: { readonly id: string; readonly secret: string };
  /** The login of the current user, which requests use. */
  readonly login?: Login;
  /** Other logged-in users that can be switched to. */
  readonly others?: readonly Login[];
}

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const isLogin = (value: unknown): value is Login =>
  isFields(value) &&
  isTextOrNull(value['username']) &&
  isTextOrNull(value['tenant']) &&
  flows.some((flow) => flow === value['flow']) &&
  isTextOrNull(value['clientId']) &&
  isTextOrAbsent(value['clientSecret']) &&
  (value['publicClient'] === undefined || value['publicClient'] === true) &&
  isText(value['accessToken']) &&
  isTextOrAbsent(value['refreshToken']) &&
  isTextOrAbsent(value['scope']) &&
  (value['expiresAt'] === null || Number.isFinite(value['expiresAt']));

const isClient = (value: unknown): boolean => isFields(value) && isText(value['id']) && isText(value['secret']);

export const isAccountRecord = (value: unknown): value is AccountRecord => {
  if (!isFields(value)) return false;
  const { client, login, others } = value;
  return (
    (client === undefined || isClient(client)) &&
    (login === undefined || isLogin(login)) &&
    (others === undefined || (Array.isArray(others) && others.every(isLogin)))
  );
};

/** All stored logins, the current one first. */
export const loginsOf = ({ login, others = [] }: AccountRecord): readonly Login[] => [
  ...(login ? [login] : []),
  ...others,
];

/**
 * True if both logins belong to the same user and the same flow. Their tokens may differ, because a renewal
 * replaces them.
 */
export const isSameLogin = (one: Login, other: Login): boolean =>
  one.username === other.username && one.tenant === other.tenant && one.flow === other.flow;

const withOthers = (others: readonly Login[]): AccountRecord => (others.length > 0 ? { others } : {});

/** The account without these logins. If the current login is among them, the next login becomes current. */
export const withoutLogins = (record: AccountRecord, gone: readonly Login[]): AccountRecord => {
  const { login: _current, others: _aside, ...kept } = record;
  const [next, ...rest] = loginsOf(record).filter((each) => !gone.some((one) => isSameLogin(one, each)));
  return { ...kept, ...(next && { login: next }), ...withOthers(rest) };
};

/** The account in which the login with this token is replaced by a renewed login, or removed. */
export const replaceLogin = (
  { login, others = [], ...kept }: AccountRecord,
  accessToken: string,
  renewed?: Login,
): AccountRecord => {
  const replaced = (each: Login): readonly Login[] =>
    each.accessToken !== accessToken ? [each] : renewed ? [renewed] : [];
  const [current] = login ? replaced(login) : [];
  return { ...kept, ...(current && { login: current }), ...withOthers(others.flatMap(replaced)) };
};
