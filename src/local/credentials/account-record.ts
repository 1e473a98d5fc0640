// Schema of a stored account: the client that this program registered there, and the logged-in users.
import * as z from 'zod/mini';

const login = z.object({
  username: z.nullable(z.string()),
  tenant: z.nullable(z.string()),
  flow: z.enum(['authorization_code', 'implicit', 'password', 'client_credentials', 'token']),
  clientId: z.nullable(z.string()),
  /** Only for a client that this program did not register. */
  clientSecret: z.optional(z.string()),
  /** A public client: it has no secret. */
  publicClient: z.optional(z.literal(true)),
  accessToken: z.string(),
  refreshToken: z.optional(z.string()),
  scope: z.optional(z.string()),
  /** Milliseconds since the epoch. Null: unknown. */
  expiresAt: z.nullable(z.number()),
});

/** Schema of a stored account. */
export const accountRecord = z.object({
  /** The client that this program registered at the service of the account. */
  client: z.optional(z.object({ id: z.string(), secret: z.string() })),
  /** The current user. Requests are made with this login. */
  login: z.optional(login),
  /** Other logged-in users that can be switched to. */
  others: z.optional(z.array(login)),
});

/** The tokens of one user. */
export type Login = z.output<typeof login>;
/** A stored account. */
export type AccountRecord = z.output<typeof accountRecord>;
