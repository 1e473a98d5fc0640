// What is kept of an account: this program's client there, and who is logged in.
import * as z from 'zod/mini';

const login = z.object({
  username: z.nullable(z.string()),
  tenant: z.nullable(z.string()),
  flow: z.enum(['authorization_code', 'implicit', 'password', 'client_credentials', 'token']),
  clientId: z.nullable(z.string()),
  /** Of a client that is not this program's own. */
  clientSecret: z.optional(z.string()),
  /** The client has no secret: it names itself and proves nothing. */
  publicClient: z.optional(z.literal(true)),
  accessToken: z.string(),
  refreshToken: z.optional(z.string()),
  scope: z.optional(z.string()),
  /** Milliseconds since the epoch; null when unknown. */
  expiresAt: z.nullable(z.number()),
});

/** What is kept of an account, as it is written. */
export const accountRecord = z.object({
  /** This program's own client at the service of the account. */
  client: z.optional(z.object({ id: z.string(), secret: z.string() })),
  /** Whom requests are made as. */
  login: z.optional(login),
  /** Other users who are logged in; one of them may take the place of `login`. */
  others: z.optional(z.array(login)),
});

/** Tokens of a login and whose they are. */
export type Login = z.output<typeof login>;
/** All that is kept of an account. */
export type AccountRecord = z.output<typeof accountRecord>;
