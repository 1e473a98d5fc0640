// `whoami`: shows the user and credential of the next request. Asks the service only with `--check` or `--profile`.
import type { Identity } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { action } from '../framework/command.ts';
import { flag } from '../framework/option.ts';

/** The document for scripts. It always has every key. */
const documentOf = (
  settings: CommandContext['settings'],
  identity: Identity,
  baseUrl: string | null,
  checked: boolean,
) => ({
  authenticated: true,
  user: identity.username,
  tenant: identity.tenant,
  context: settings.context,
  instance: settings.instance,
  base_url: baseUrl,
  flow: identity.flow,
  client: identity.client,
  token_source: identity.source,
  // The date is formatted only if the document is printed: the first ISO date of a process takes up to a millisecond.
  get expires_at() {
    return identity.expiresAt === null ? null : new Date(identity.expiresAt).toISOString();
  },
  refreshable: identity.refreshable,
  checked,
});

const expiryOf = ({ expiresAt, refreshable }: Identity, now: number): string => {
  const renewal = refreshable ? ' (refreshable)' : '';
  if (expiresAt === null) return renewal;
  return expiresAt > now ? `, expires in ${formatDuration(expiresAt - now)}${renewal}` : `, expired${renewal}`;
};

const sentenceOf = (context: CommandContext, identity: Identity, baseUrl: string | null): string => {
  const { settings, serviceClock } = context;
  const how = [identity.flow, identity.client && `by client ${identity.client}`].filter(Boolean).join(' ');
  return [
    `${identity.username ?? 'unknown user'} on ${settings.context} (${baseUrl ?? 'daemon not running'})`,
    ...(how ? [`  flow      ${how}`] : []),
    `  token     ${identity.source}${expiryOf(identity, serviceClock.now())}`,
  ].join('\n');
};

/** The origin of the service; null if no daemon runs, which is not an error here. */
const originOrNull = async ({ origin }: CommandContext): Promise<string | null> => {
  try {
    return await origin();
  } catch (error) {
    if (error instanceof CliFailure && (error.code === 'DAEMON_NOT_RUNNING' || error.code === 'DAEMON_UNHEALTHY'))
      return null;
    throw error;
  }
};

export const whoamiCommand = action({
  operations: ['profiles.me'],
  options: {
    check: flag('--check', 'ask the service whether the token is valid'),
    profile: flag('--profile', 'show the profile of the user'),
  },
  run: async (context, _args, { check, profile }) => {
    const { session, call, output, settings } = context;
    const shown = async (): Promise<Identity> => {
      const identity = await session.identity();
      if (!identity) throw new CliFailure('AUTH_REQUIRED', 'you are not logged in', { hint: 'actorctl login' });
      return identity;
    };
    let identity = await shown();
    if (profile) {
      const me = await call('profiles.me');
      const columns = Object.entries(me).flatMap(([key, value]) =>
        typeof value === 'object' ? [] : [{ header: key.toUpperCase(), value: () => value }],
      );
      output.item(me, { id: ({ username }) => username, columns });
      return 0;
    }
    if (check) {
      const { username } = await call('profiles.me');
      // The request may have renewed the token.
      identity = { ...(await shown()), username };
    }
    const baseUrl = await originOrNull(context);
    output.report(
      sentenceOf(context, identity, baseUrl),
      documentOf(settings, identity, baseUrl, check),
      identity.username ?? undefined,
    );
    return 0;
  },
});
