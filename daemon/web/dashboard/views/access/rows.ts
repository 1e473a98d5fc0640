// Rows of the listings: clients, nonces, configs, logins and users.
import type { Role } from '../../../../../src/contract/people/users.ts';
import type { Answer } from '../../api/routes.ts';
import { serviceNow } from '../../api/service-time.ts';
import { hasWords } from '../../parts/search/has-words.ts';
import { formatMoment } from '../../parts/time.ts';
import { MASK } from './try/shown.ts';

export type Client = Answer<'GET /clients/v2'>[number];
export type Nonce = Answer<'GET /actors/v2/:actorId/nonces'>[number];
export type Login = Answer<'GET /logins'>[number];
export type User = Answer<'GET /users/v2'>[number];
type Config = Answer<'GET /actors/v2/configs'>[number];

export const redirectUris = ({ callbackUrl }: Pick<Client, 'callbackUrl'>): readonly string[] =>
  callbackUrl.split(',').filter((uri) => uri !== '');

export const isWantedClient = ({ name, description, consumerKey, callbackUrl, grants }: Client, q: string): boolean =>
  hasWords([name, description, consumerKey, callbackUrl, ...grants], q);

export interface ClientRow extends Client {
  readonly id: string;
}

export const clientRow = (client: Client): ClientRow => ({ ...client, id: client.name });

/** `authorization code`, `browser session` */
export const howOf = ({ flow }: Pick<Login, 'flow'>): string => flow?.replaceAll('_', ' ') ?? 'browser session';

export const loginName = ({ clientName }: Pick<Login, 'clientName'>): string => clientName ?? 'Browser';

export const isWantedLogin = (login: Login, q: string): boolean =>
  hasWords([loginName(login), login.clientId, login.id, howOf(login), login.current ? 'this page browser' : ''], q);

/** What stops when the login is ended. */
export const consequenceOf = ({ kind, flow, browser, current }: Login, isPage: boolean): string => {
  const ends =
    kind === 'browser'
      ? 'The browser is logged out, and the dashboard pages in it stop. Other clients that were approved in it stay logged in.'
      : 'All its tokens end at once: requests with them are refused, and they cannot be renewed.';
  const also =
    kind === 'grant' && isPage && browser !== undefined
      ? ' Its browser is logged out too, with all dashboard pages in it.'
      : flow === 'password' || flow === 'client_credentials'
        ? ' A program that has the password or the client secret can log in again.'
        : '';
  return `${ends}${also}${current ? ' This page is logged out.' : ''}`;
};

export const roles: readonly Role[] = ['admin', 'privileged', 'user', 'limited'];

export interface UserRow extends User {
  readonly id: string;
  /** ISO time. */
  readonly createTime: string;
}

/** @param user its creation is written `20261129040000Z` */
export const userRow = (user: User): UserRow => ({
  ...user,
  id: user.username,
  createTime: user.create_time.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
});

export const isWantedUser = ({ username, full_name, email, roles }: User, q: string): boolean =>
  hasWords([username, full_name, email, ...roles], q);

export interface NonceRow {
  readonly id: string;
  readonly kind: 'actor' | 'alias';
  readonly target: string;
  readonly actorId: string;
  readonly name: string;
  readonly nonce: Nonce;
}

export const isWantedNonce = ({ kind, name, target, nonce }: NonceRow, q: string): boolean =>
  hasWords([kind, name, target, nonce.id, nonce.level, nonce.owner, nonce.description], q);

/** `any number of uses`, `2 of 3 uses left, until 2026-11-22 16:41:11`, `expired` */
export const formatUses = (
  { maxUses, remainingUses, expireTime }: Pick<Nonce, 'maxUses' | 'remainingUses' | 'expireTime'>,
  now = serviceNow(),
): string => {
  const uses = maxUses === -1 ? 'any number of uses' : `${remainingUses} of ${maxUses} uses left`;
  if (expireTime === undefined) return uses;
  const end = Date.parse(expireTime);
  return end <= now ? 'expired' : `${uses}, until ${formatMoment(end)}`;
};

/** The actor or alias of a nonce, as the command line names it. @param wordOf names an actor */
export const targetWord = (
  { kind, target }: Pick<NonceRow, 'kind' | 'target'>,
  wordOf: (actorId: string) => string,
): string => (kind === 'alias' ? `alias:${target}` : wordOf(target));

/** A config as it is displayed. The encrypted value of a secret config is left out here. */
export interface ConfigRow
  extends Pick<Config, 'name' | 'actors' | 'owner' | 'isSecret' | 'revision' | 'lastUpdateTime'> {
  readonly id: string;
  readonly shown: string;
  /** The value as one types it: JSON, or else text. Empty if it is secret. */
  readonly typed: string;
}

/** True for a text that would be read as JSON, such as `42`. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export const configRow = ({ name, value, actors, owner, isSecret, revision, lastUpdateTime }: Config): ConfigRow => ({
  id: name,
  name,
  actors,
  owner,
  isSecret,
  revision,
  lastUpdateTime,
  shown: isSecret ? MASK : typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  typed: isSecret ? '' : typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value, null, 2),
});

export const isWantedConfig = ({ name, actors, owner, isSecret }: ConfigRow, q: string): boolean =>
  hasWords([name, actors, owner, isSecret ? 'secret' : 'plain'], q);

export const sharedWith = ({ actors }: Pick<ConfigRow, 'actors'>): readonly string[] =>
  actors
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
