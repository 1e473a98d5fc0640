// `auth`: the login seen from all sides: who is logged in where, the token itself, and the protocol by hand.

import { group } from '../kernel/command.ts';
import { list, status, switchUser } from './auth-accounts.ts';
import { authorizeUrl, exchange } from './auth-by-hand.ts';
import { inspect, refresh, revoke, token } from './auth-tokens.ts';

/** `auth` */
export const authCommand = group('auth', { summary: 'Logins, tokens, and the OAuth protocol by hand.' }, [
  status,
  token,
  refresh,
  revoke,
  inspect,
  list,
  switchUser,
  authorizeUrl,
  exchange,
]);
