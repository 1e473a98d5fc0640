// `logout`: forgets the login of this account, wherever it is kept.
import { shadowOf } from '../client/session.ts';
import { CliFailure } from '../failure.ts';
import type { Found } from '../local/credentials.ts';
import { command } from './command.ts';

/** A login that cannot be read any more is forgotten unread. */
const readable = async (
  reading: Promise<Found | undefined>,
  forget: () => Promise<void>,
): Promise<Found | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'AUTH_REQUIRED') throw error;
    await forget();
    return undefined;
  }
};

/** `logout` */
export const logoutCommand = command({
  name: 'logout',
  summary: 'Forgets the login.',
  run: async ({ credentials, settings, output }) => {
    const found = await readable(credentials.read(settings.account), () => credentials.remove(settings.account));
    const login = found?.record.login;
    if (found && login) {
      const { login: _forgotten, ...rest } = found.record;
      // Our own client stays: it is no login, and asking for a new one would spend the secret of another process.
      if (rest.client) await credentials.write(settings.account, rest);
      else await credentials.remove(settings.account);
    }
    const shadow = shadowOf(settings);
    const name = login?.username ?? 'you';
    output.result(
      login ? `Logged out ${name}; the token was forgotten here and runs out by itself` : 'You were not logged in',
      { logged_out: login ? [login.username] : [], revoked: false, env_shadow: shadow === undefined ? [] : [shadow] },
    );
    if (shadow !== undefined) output.warn(`${shadow} is still set and goes on being used; unset it to finish`);
    return 0;
  },
});
