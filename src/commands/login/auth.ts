// `auth`: shows and manages logins and tokens, and runs OAuth flows by hand.

import type { LeafEntry } from '../kernel/command.ts';
import { list, status, switchUser } from './auth-accounts.ts';
import { authorizeUrl, exchange } from './auth-by-hand.ts';
import { inspect, refresh, revoke, token } from './auth-tokens.ts';

/** `auth` */
export const authCommand: readonly LeafEntry[] = [
  status,
  token,
  refresh,
  revoke,
  inspect,
  list,
  switchUser,
  authorizeUrl,
  exchange,
];
