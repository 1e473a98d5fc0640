// Test users with their credentials: name and password, a client and tokens.
import type { Answer } from './call.ts';
import { basic, member, type Platform } from './platform.ts';

export interface TestPerson {
  readonly username: string;
  readonly password: string;
  readonly tenant: string;
  /** Headers with name and password. */
  readonly basic: { readonly authorization: string };
  /** Headers with an access token of the password grant. */
  readonly bearer: { readonly authorization: string };
  readonly refreshToken: string;
  /** Headers with the credentials of the client that got the tokens. */
  readonly client: { readonly authorization: string };
}

/**
 * Returns the response if it is a success.
 * @throws Error otherwise
 */
export const ok = (answer: Answer): Answer => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
};

/** The items of a list in an envelope. */
export const listOf = (answer: Answer): readonly Readonly<Record<string, unknown>>[] => {
  const result = member(ok(answer), 'result');
  return Array.isArray(result) ? result : [];
};

/** The response of `/token` for these credentials. */
export const tokensFor = async (
  platform: Platform,
  client: { readonly authorization: string },
  username: string,
  password: string,
): Promise<{ readonly access: string; readonly refresh: string; readonly status: number }> => {
  const form = { grant_type: 'password', username, password, scope: 'PRODUCTION' };
  const answer = await platform.token(form, client);
  return {
    status: answer.status,
    access: String(member(answer, 'access_token')),
    refresh: String(member(answer, 'refresh_token')),
  };
};

/** Creates a user as an admin, with a client named `own` and tokens of that client. */
export const makePerson = async (
  platform: Platform,
  admin: { readonly authorization: string },
  fields: { readonly username: string; readonly tenant?: string; readonly roles?: readonly string[] },
): Promise<TestPerson> => {
  const { username, tenant = 'DEV' } = fields;
  const password = `password of ${username}`;
  ok(await platform.ask('POST', '/users/v2', { json: { ...fields, tenant, password }, headers: admin }));
  const own = { authorization: basic(`${tenant}/${username}`, password) };
  const made = ok(await platform.ask('POST', '/clients/v2', { json: { clientName: 'own' }, headers: own })).result;
  const client = { authorization: basic(String(made['consumerKey']), String(made['consumerSecret'])) };
  const { access, refresh } = await tokensFor(platform, client, username, password);
  return {
    username,
    password,
    tenant,
    basic: own,
    bearer: { authorization: `Bearer ${access}` },
    refreshToken: refresh,
    client,
  };
};
