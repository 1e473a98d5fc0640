// What the first `up` makes beside the daemon: an admin user, and this program's own client.
import type { CommandContext } from '../../context.ts';
import { userRegistration } from '../../contract/people/users.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { ManageStatus } from '../../local/daemon/management-client.ts';

/** The user that is made when nobody says otherwise. */
const DEFAULT_USER = 'dev';
const TRIES = 3;

/** Name and password, as far as somebody said them. */
interface Wanted {
  readonly username: string;
  readonly password?: string;
}

/** What became of it. */
export interface Bootstrapped {
  /** Absent when there were users already. */
  readonly user?: { readonly username: string; readonly tenant: string | null };
  /** Secret. Known only to whom typed or made it just now. */
  readonly password?: string;
  /** The password was made up here and nobody has seen it yet. */
  readonly generated: boolean;
  /** Id of this program's own client. */
  readonly client: string | null;
}

const complaint = (field: 'username' | 'password', value: string): string | undefined => {
  const result = userRegistration.shape[field].safeParse(value);
  return result.success
    ? undefined
    : `the ${field === 'username' ? 'user name' : 'password'} ${result.error.issues[0]?.message}`;
};

/** Asks until the answer will do, a few times. */
const insist = async (
  context: CommandContext,
  ask: () => Promise<string>,
  field: 'username' | 'password',
): Promise<string> => {
  for (let left = TRIES; left > 0; left -= 1) {
    const value = await ask();
    const wrong = complaint(field, value);
    if (wrong === undefined) return value;
    context.output.warn(wrong);
  }
  throw usage('that cannot be used', 'run actorctl up again');
};

const askForUser = async (context: CommandContext): Promise<Wanted> => {
  const { prompt, settings, output } = context;
  output.note('This is the first start: an admin user is made now.');
  const username = await insist(
    context,
    () => prompt.text('Name of the admin user:', 'ACTORCTL_ADMIN_USER', settings.admin.username ?? DEFAULT_USER),
    'username',
  );
  for (let left = TRIES; left > 0; left -= 1) {
    const password = await insist(context, () => prompt.secret('Password:', 'ACTORCTL_ADMIN_PASSWORD'), 'password');
    if ((await prompt.secret('Password again:', 'ACTORCTL_ADMIN_PASSWORD')) === password) return { username, password };
    output.warn('the two passwords differ');
  }
  throw usage('no password was set', 'run actorctl up again');
};

const wantedUser = async (context: CommandContext, status: ManageStatus): Promise<Wanted> => {
  const { admin } = context.settings;
  if (!status.bootstrapped && context.prompt.allowed && admin.password === undefined) return askForUser(context);
  return {
    username: admin.username ?? DEFAULT_USER,
    ...(admin.password !== undefined && { password: admin.password }),
  };
};

/** Makes sure that this program has a client of its own, and answers its id. A new user means that older secrets are of no use. */
const ensureClient = async (
  { credentials, settings, local, output, paths }: CommandContext,
  fresh: boolean,
): Promise<string> => {
  const kept = fresh ? undefined : (await credentials.read(settings.account))?.record;
  if (kept?.client) return kept.client.id;
  const { client_id, client_secret } = await local.manage.cliClient();
  const stored = await credentials.write(settings.account, {
    ...kept,
    client: { id: client_id, secret: client_secret },
  });
  if (stored.downgraded !== undefined) {
    output.warn(
      `the keychain is not used (${stored.downgraded}); credentials are in ${paths.credentialsFile}, readable by you alone; login --store keychain tries again`,
    );
  }
  return client_id;
};

/**
 * Makes the admin user if there is no user yet, and this program's own client if it has none. Does nothing the second time.
 * @throws CliFailure VALIDATION when name or password cannot be used, CANCELLED
 */
export const bootstrap = async (context: CommandContext, status: ManageStatus): Promise<Bootstrapped> => {
  const wanted = await wantedUser(context, status);
  const { created, username, tenant, password = wanted.password } = await context.local.manage.bootstrap(wanted);
  let client: string | null = null;
  try {
    client = await ensureClient(context, created);
  } catch (error) {
    // Without the client one cannot log in by name and password, but a daemon whose owner made other arrangements is of use.
    if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
    context.output.warn(`this program has no client at the daemon: ${error.message}`);
  }
  if (!created) return { generated: false, client };
  return {
    user: { username: username ?? wanted.username, tenant: tenant ?? null },
    ...(password !== undefined && { password }),
    generated: wanted.password === undefined,
    client,
  };
};
