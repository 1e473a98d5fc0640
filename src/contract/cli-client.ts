// The public client of the command line, which every tenant has, and the redirect URIs of the command line.
// @see docs/oauth.md#the-client-of-the-command-line

/** Ports of the redirect URIs of the command line. */
export const CALLBACK_PORTS = [8731, 8732, 8733, 8734, 8735] as const;

/** Path of the redirect URIs. */
export const CALLBACK_PATH = '/callback';

/** The redirect URI of a port. The service compares it byte by byte. */
export const redirectUriOf = (port: number): string => `http://127.0.0.1:${port}${CALLBACK_PATH}`;

/** Prefix of the client ids. Ids of registered clients are random letters and digits, so none begins with it. */
const ID_START = 'actorctl-cli.';

/** A client serves the users of its own tenant only. */
export const cliClientId = (tenant: string): string => `${ID_START}${tenant}`;

/** The tenant of a public client of the command line. Undefined for any other client id. */
export const tenantOfCliClient = (clientId: string): string | undefined =>
  clientId.startsWith(ID_START) ? clientId.slice(ID_START.length) : undefined;
