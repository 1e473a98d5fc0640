// Tries the credentials of a client.
import type { Home } from '../daemon/home.ts';

/** Requests a token with the credentials of a client, and returns the exit code. */
export const tokenStatus = async (home: Home, id: unknown, secret: unknown): Promise<number> => {
  const env = { ACTORCTL_CLIENT_ID: String(id), ACTORCTL_CLIENT_SECRET: String(secret) };
  return (
    await home.cli(['api', 'POST', 'token', '--auth', 'basic', '--form', '-f', 'grant_type=client_credentials'], {
      env,
    })
  ).code;
};
