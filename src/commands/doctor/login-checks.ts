// Checks of logins: where they are stored, the contexts, and the token of the current one.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf } from '../../failure.ts';
import { readContexts } from '../../local/contexts.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export const checkKeychain = async ({ credentials, settings, paths }: CommandContext): Promise<Finding> => {
  try {
    const found = await credentials.read(settings.account);
    if (found === undefined) return ok('keychain', 'no login is stored');
    return ok(
      'keychain',
      found.store === 'file' ? `logins are in ${paths.credentialsFile}` : 'logins are in the keychain',
    );
  } catch (error) {
    return failed(
      'keychain',
      messageOf(error),
      'unlock the keychain, or store logins in a file: actorctl login --store file',
    );
  }
};

export const checkContexts = async ({ paths, settings }: CommandContext): Promise<Finding> => {
  try {
    const { contexts } = await readContexts(paths.contextsFile);
    return ok('contexts', `${plural(Object.keys(contexts).length + 1, 'context')}, ${settings.context} is current`);
  } catch (error) {
    const hint = error instanceof CliFailure ? error.extras.hint : undefined;
    return failed('contexts', messageOf(error), hint ?? `mv ${paths.contextsFile} ${paths.contextsFile}.old`);
  }
};

export const checkToken = async (context: CommandContext, isRunning: boolean): Promise<Finding> => {
  const { session, settings, serviceClock, call } = context;
  try {
    const identity = await session.identity();
    if (identity === undefined) return warning('token', `not logged in to ${settings.context}`, 'actorctl login');
    const { username, source, expiresAt, refreshable } = identity;
    const who = `${username ?? 'unknown user'} via ${source}`;
    if (expiresAt !== null && expiresAt <= (await serviceClock.ask()) && !refreshable)
      return warning('token', `of ${who} has expired`, 'actorctl login');
    if (settings.baseUrl === undefined && !isRunning) return ok('token', `of ${who}; no daemon to check it`);
    await call('profiles.me');
    // The call may have renewed the token.
    const end = (await session.identity())?.expiresAt ?? null;
    const left = end === null ? '' : `, ${formatDuration(Math.max(0, end - serviceClock.now()))} left`;
    return ok('token', `of ${who} is accepted${left}`);
  } catch (error) {
    const hint = error instanceof CliFailure ? error.extras.hint : undefined;
    return failed('token', messageOf(error), hint ?? 'actorctl login');
  }
};
