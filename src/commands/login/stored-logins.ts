// Checks stored logins against the service: which one it accepts, and which ones the data of a daemon do not have.
import type { Address } from '../../client/address.ts';
import { ignoreUnreadable, isRenewable } from '../../client/identity.ts';
import { readBody } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import { routes } from '../../contract/for-client.ts';
import { CliFailure } from '../../failure.ts';
import { type Login, loginsOf, replaceLogin } from '../../local/credentials/account-record.ts';
import { introspect } from './own-tokens.ts';

/** The user whose credential the service accepts for the next request. Undefined if there is none. */
export const loggedInAs = async ({ session, call }: CommandContext): Promise<string | undefined> => {
  try {
    if ((await session.identity().catch(ignoreUnreadable)) === undefined) return undefined;
    return (await call('profiles.me')).username;
  } catch (error) {
    if (error instanceof CliFailure && error.code !== 'CANCELLED') return undefined;
    throw error;
  }
};

/**
 * Removes the client and the logins of data that no longer exist. If the keychain refuses, they stay, but they are
 * useless without the data.
 */
export const removeAccount = async ({ credentials, settings, output }: CommandContext): Promise<void> => {
  try {
    await credentials.remove(settings.account);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'AUTH_FAILED') throw error;
    output.warn(error.message);
  }
};

/** Asks the service whether it accepts an access token. Renews nothing. */
export const probe = async (
  { transport, signal }: Pick<CommandContext, 'transport' | 'signal'>,
  address: Address,
  token: string,
): Promise<'valid' | 'refused' | 'unreachable'> => {
  const { method, path } = routes['profiles.me'];
  try {
    const answer = await transport(address, { method, path, headers: { authorization: `Bearer ${token}` }, signal });
    await readBody(answer, 1024 * 1024);
    return answer.status === 200 ? 'valid' : answer.status === 401 ? 'refused' : 'unreachable';
  } catch (error) {
    if (error instanceof CliFailure && error.code !== 'CANCELLED') return 'unreachable';
    throw error;
  }
};

/**
 * Makes the stored account fit data that were replaced. The client gets a new secret only if the data do not have the
 * stored one, because a new secret ends all refresh tokens. A login that the service refuses is removed. Returns the id
 * of the client.
 */
export const fitToData = async (context: CommandContext): Promise<string> => {
  const { session, credentials, settings, address, output } = context;
  const client = await session.withOwnClient(async (own) => {
    await introspect(context, own, 'none');
    return own.id;
  });
  const record = (await credentials.read(settings.account).catch(ignoreUnreadable))?.record ?? {};
  const gone: Login[] = [];
  for (const login of loginsOf(record)) {
    if ((await probe(context, address, login.accessToken)) !== 'refused') continue;
    if (!isRenewable(login)) gone.push(login);
    // A refused renewal removes the login.
    else
      await session.renew(login.accessToken, login).catch((error: unknown) => {
        if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
        output.verbose(`cannot renew the login of ${login.username ?? 'an unknown user'}: ${error.message}`);
      });
  }
  if (gone.length > 0)
    await session.change((now) => gone.reduce((kept, { accessToken }) => replaceLogin(kept, accessToken), now));
  return client;
};
