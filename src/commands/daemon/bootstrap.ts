// Creates the admin user and the OAuth client of actorctl on the first `up`.
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { type AccountRecord, loginsOf } from '../../local/credentials/account-record.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { fitToData } from '../login/stored-logins.ts';

const DEFAULT_USER = 'dev';
const TRIES = 3;

interface Wanted {
  readonly username: string;
  readonly password?: string;
}

export interface Bootstrapped {
  /** Absent if users existed already. */
  readonly user?: { readonly username: string; readonly tenant: string | null };
  /** Secret. Known only if it was typed, configured or generated in this run. */
  readonly password?: string;
  /** True if the password was generated and has not been shown yet. */
  readonly generated: boolean;
  readonly client: string | null;
  /**
   * The error that ended the command after a password was generated, for example an interrupt. The password is
   * shown before the error.
   */
  readonly endedBy?: Error;
}

const complaint = async (field: 'username' | 'password', value: string): Promise<string | undefined> => {
  const { userRegistration } = await import('../../contract/people/users.ts');
  const result = userRegistration.shape[field].safeParse(value);
  return result.success
    ? undefined
    : `the ${field === 'username' ? 'user name' : 'password'} ${result.error.issues[0]?.message}`;
};

/** Prompts again, up to three times, until the value is valid. */
const insist = async (
  context: CommandContext,
  ask: () => Promise<string>,
  field: 'username' | 'password',
): Promise<string> => {
  for (let left = TRIES; left > 0; left -= 1) {
    const value = await ask();
    const wrong = await complaint(field, value);
    if (wrong === undefined) return value;
    context.output.warn(wrong);
  }
  throw usage('no valid value was entered', 'run actorctl up again');
};

const askForUser = async (context: CommandContext): Promise<Wanted> => {
  const { prompt, settings, output } = context;
  output.note('This is the first start: actorctl creates an admin user now.');
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
  throw usage('no password was set: the two passwords differed three times', 'run actorctl up again');
};

const wantedUser = async (context: CommandContext, status: ManageStatus): Promise<Wanted> => {
  const { admin } = context.settings;
  if (!status.bootstrapped && context.prompt.allowed && admin.password === undefined) return askForUser(context);
  return {
    username: admin.username ?? DEFAULT_USER,
    ...(admin.password !== undefined && { password: admin.password }),
  };
};

/** The credentials stored for the previous data. Undefined if they cannot be read. */
const storedRecord = async ({ credentials, settings }: CommandContext): Promise<AccountRecord | undefined> => {
  try {
    return (await credentials.read(settings.account))?.record;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
    return undefined;
  }
};

/** Removes the stored client and logins of the previous data, but not those that another process has stored since. */
const without =
  (old: AccountRecord | undefined) =>
  (stored: AccountRecord): AccountRecord => {
    const { client } = stored;
    const spent = new Set(loginsOf(old ?? {}).map((each) => each.accessToken));
    const [current, ...rest] = loginsOf(stored).filter((each) => !spent.has(each.accessToken));
    return {
      ...(client && client.secret !== old?.client?.secret && { client }),
      ...(current && { login: current }),
      ...(rest.length > 0 && { others: rest }),
    };
  };

/** Removes the client and the logins of the previous data from the stored account. */
const forget = async ({ session }: CommandContext, old: AccountRecord | undefined): Promise<void> => {
  await session.change(without(old));
};

/** Removes the stored client and logins, because the data of the daemon have no users. */
export const forgetAll = async (context: CommandContext): Promise<void> => forget(context, await storedRecord(context));

/**
 * Creates the admin user if there are no users, and the client of actorctl if it has none. Idempotent.
 * @param replaced true after the data were replaced: they may not have the stored client and logins
 */
export const bootstrap = async (
  context: CommandContext,
  status: ManageStatus,
  replaced = false,
): Promise<Bootstrapped> => {
  const old = !status.bootstrapped ? await storedRecord(context) : undefined;
  const wanted = await wantedUser(context, status);
  const { created, username, tenant, password = wanted.password } = await context.manage('daemon.bootstrap', wanted);
  const generated = created && wanted.password === undefined;
  let client: string | null = null;
  let endedBy: Error | undefined;
  try {
    if (created) await forget(context, old);
    client = created || !replaced ? (await context.session.ownClient()).id : await fitToData(context);
  } catch (error) {
    // Without the client, login by name and password fails, but the daemon is still usable with other credentials.
    if (error instanceof CliFailure && error.code !== 'CANCELLED')
      context.output.warn(`cannot create the client of actorctl at the daemon: ${error.message}`);
    else if (generated && error instanceof Error) endedBy = error;
    else throw error;
  }
  if (!created) return { generated: false, client };
  return {
    user: { username: username ?? wanted.username, tenant: tenant ?? null },
    ...(password !== undefined && { password }),
    generated,
    client,
    ...(endedBy && { endedBy }),
  };
};
