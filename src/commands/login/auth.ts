// `auth`: shows and manages logins and tokens, and runs OAuth flows by hand.

import type { LeafEntry } from '../framework/command.ts';
import { status } from './auth-accounts.ts';
import { authorizeUrl, exchange } from './auth-by-hand.ts';
import { inspect, refresh, revoke, token } from './auth-tokens.ts';
import { list, switchUser } from './auth-users.ts';
import { logins } from './service-logins.ts';

export const authCommand: readonly LeafEntry[] = [
  status,
  token,
  refresh,
  revoke,
  inspect,
  list,
  logins,
  switchUser,
  authorizeUrl,
  exchange,
];
