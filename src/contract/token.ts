// The token endpoint: RFC 6749 bodies, never the envelope. @see spec 2.1, 4.1
import * as z from 'zod/mini';
import { operation } from './operation.ts';
import { nothing } from './wire.ts';

/** The one scope there is. @see spec 5.3 */
export const SCOPE = 'PRODUCTION';

export const tokenResponse = z.object({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: z.optional(z.string()),
  scope: z.optional(z.string()),
});

export const tokenOperations = {
  'token.create': operation({
    id: 'token.create',
    method: 'POST',
    path: '/token',
    guard: 'public',
    body: 'form',
    answer: 'bare',
    summary: 'Issues tokens for a grant.',
    query: nothing,
    input: z.record(z.string(), z.string()),
    result: tokenResponse,
    failures: [],
  }),
} as const;
