// `users`: create, list, show, update, passwd and delete users of the local user store. Admins only.
import { randomBytes } from 'node:crypto';
import type { CommandContext } from '../../context.ts';
import { roles } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, required, text, type ValuesOf, words } from '../framework/option.ts';
import { newPassword, passwordFromStdin } from '../framework/read-password.ts';
import { resultShownOnce } from '../framework/shown-once.ts';
import { userView } from '../framework/views.ts';

type User = ResultOf<Operations['users.create']>;

/** Random bytes in a generated password. */
const PASSWORD_BYTES = 18;

const rolesOf = (given: readonly string[]): readonly string[] =>
  given.map((word) => {
    if (!roles.some((role) => role === word))
      throw usage(`--role: there is no role "${word}"`, `use ${roles.join(', ')}`);
    return word;
  });

const passwordFor = (
  context: Pick<CommandContext, 'readSecrets' | 'prompt'>,
  { generate, passwordStdin }: { readonly generate: boolean; readonly passwordStdin: boolean },
): Promise<string> => {
  if (generate && passwordStdin) throw usage('--generate and --password-stdin cannot be used together');
  if (generate) return Promise.resolve(randomBytes(PASSWORD_BYTES).toString('base64url'));
  return passwordStdin ? passwordFromStdin(context) : newPassword(context, '--password-stdin or --generate');
};

/** Prints the user, and the generated password, which is shown nowhere else. */
const resultOfPassword = (
  context: Pick<CommandContext, 'output'>,
  user: { readonly username: string },
  generated: string | undefined,
  done: string,
): void => {
  const { username } = user;
  resultShownOnce(context, {
    secret: generated,
    what: `the generated password of "${username}"`,
    hint: `to set another password: actorctl users passwd ${username} --generate`,
    sentence: generated === undefined ? done : `${done}  password (shown once): ${generated}`,
    value: generated === undefined ? user : { ...user, password: generated },
    id: username,
  });
};

const tenantOption = {
  tenant: text('--tenant <id>', 'another tenant (admins of the first tenant only)', 'tenant'),
};

const profileOptions = {
  email: text('--email <address>', 'e-mail address'),
  firstName: text('--first-name <name>', 'first name'),
  lastName: text('--last-name <name>', 'last name'),
  phone: text('--phone <number>', 'telephone'),
  mobilePhone: text('--mobile-phone <number>', 'mobile phone number'),
};

const passwordOptions = {
  passwordStdin: flag('--password-stdin', 'read the password from stdin'),
  generate: flag('--generate', 'generate a password and show it once'),
};

/** Returns the given profile fields. An empty text clears a field. */
const profileFields = ({ email, firstName, lastName, phone, mobilePhone }: ValuesOf<typeof profileOptions>) => ({
  ...(email !== undefined && { email }),
  ...(firstName !== undefined && { first_name: firstName }),
  ...(lastName !== undefined && { last_name: lastName }),
  ...(phone !== undefined && { phone }),
  ...(mobilePhone !== undefined && { mobile_phone: mobilePhone }),
});

const userOf = (username: string, tenant: string | undefined) => ({
  params: { username },
  query: { ...(tenant !== undefined && { tenant }) },
});

/** Prints what the new user types to log in with a command line of their own. */
const noteLogin = async ({ call, output }: CommandContext, { username, tenant }: User): Promise<void> => {
  const tenants = await call('tenants.list', { authentication: 'none' });
  const own = tenants.find(({ code }) => code === tenant);
  if (own === undefined) return;
  const named = own === tenants[0] ? '' : ` --tenant ${own.code}`;
  output.note(
    `${username} types:\n  actorctl context create dev --base-url ${own.baseUrl}${named} --use\n  actorctl login --username ${username}`,
  );
};

const create = command({
  name: 'create',
  summary: 'Create a user',
  operations: ['users.create', 'tenants.list'],
  args: { name: required('user name') },
  options: {
    ...profileOptions,
    role: words('--role <names>', `roles: ${roles.join(', ')} (default: user)`, roles),
    ...passwordOptions,
    ...tenantOption,
  },
  examples: ['actorctl users create ana --generate', 'actorctl users create ana --password-stdin < password.txt'],
  run: async (context, { name }, { role, tenant, passwordStdin, generate, ...profile }) => {
    const asked = rolesOf(role);
    const password = await passwordFor(context, { passwordStdin, generate });
    const made = await context.call('users.create', {
      body: {
        username: name,
        password,
        ...(tenant !== undefined && { tenant }),
        ...profileFields(profile),
        ...(asked.length > 0 && { roles: asked }),
      },
    });
    resultOfPassword(context, made, generate ? password : undefined, `Created user ${made.username}`);
    await noteLogin(context, made);
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the users of a tenant',
  operations: ['users.list'],
  options: tenantOption,
  list: true,
  run: async (context, _args, { tenant }) => {
    const query = { ...(tenant !== undefined && { tenant }) };
    context.output.rows(await context.call('users.list', { query }), userView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a user',
  operations: ['users.show'],
  args: { name: required('user name', 'user') },
  options: tenantOption,
  run: async (context, { name }, { tenant }) => {
    context.output.item(await context.call('users.show', userOf(name, tenant)), userView);
    return 0;
  },
});

const update = command({
  name: 'update',
  summary: 'Change some fields of a user and keep the rest',
  operations: ['users.update'],
  args: { name: required('user name', 'user') },
  options: {
    ...profileOptions,
    role: words('--role <names>', `new list of roles: ${roles.join(', ')}`, roles),
    ...tenantOption,
  },
  examples: ['actorctl users update ana --role user,privileged'],
  run: async (context, { name }, { role, tenant, ...profile }) => {
    const asked = rolesOf(role);
    const body = { ...profileFields(profile), ...(asked.length > 0 && { roles: asked }) };
    if (Object.keys(body).length === 0) throw usage('there is nothing to change', 'give --role, --email, --phone …');
    const updated = await context.call('users.update', { ...userOf(name, tenant), body });
    context.output.result(
      `Updated user ${updated.username}: ${Object.keys(body).join(', ')}`,
      updated,
      updated.username,
    );
    return 0;
  },
});

const passwd = command({
  name: 'passwd',
  summary: 'Change the password of a user',
  details: 'Revokes the tokens and sessions of the user.',
  operations: ['users.update'],
  args: { name: required('user name', 'user') },
  options: { ...passwordOptions, ...tenantOption },
  examples: ['actorctl users passwd ana --generate', 'actorctl users passwd ana --password-stdin < password.txt'],
  run: async (context, { name }, { tenant, ...how }) => {
    const password = await passwordFor(context, how);
    const changed = await context.call('users.update', { ...userOf(name, tenant), body: { password } });
    const ended = `${plural(changed.revoked ?? 0, 'token')} revoked`;
    const done = `Changed the password of ${changed.username} (${ended})`;
    resultOfPassword(context, changed, how.generate ? password : undefined, done);
    return 0;
  },
});

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a user with all clients, tokens and nonces',
  details:
    'A user who owns actors, aliases or configs can be deleted only with --reassign-to. If the deleted user was the last to point an alias, configs stop following that alias until another user points it.',
  operations: ['users.delete', 'users.show'],
  args: { name: required('user name', 'user') },
  options: {
    reassignTo: text('--reassign-to <user>', 'new owner of the actors, aliases and configs', 'user'),
    ...tenantOption,
    dryRun,
  },
  examples: ['actorctl users delete ana --reassign-to bob --yes'],
  run: async (context, { name }, { reassignTo, tenant, dryRun }) => {
    const { params, query } = userOf(name, tenant);
    await context.call('users.show', { params, query });
    if (dryRun) {
      if (reassignTo !== undefined) await context.call('users.show', userOf(reassignTo, tenant));
      const owned =
        reassignTo === undefined
          ? `, unless ${name} owns actors, aliases or configs`
          : `, and reassign actors, aliases and configs to ${reassignTo}`;
      const lines = [`delete user ${name} with all clients, tokens and nonces${owned}`];
      return tellDryRun(context, lines, { deleted: name, reassign_to: reassignTo ?? null }, name);
    }
    await context.prompt.confirm(`Delete user ${name} with all clients, tokens and nonces?`);
    const gone = await context.call('users.delete', {
      params,
      query: { ...query, ...(reassignTo !== undefined && { reassignTo }) },
    });
    const heir = reassignTo ?? '-';
    const what = [
      `${plural(gone.revoked, 'token')} revoked`,
      ...(gone.clients > 0 ? [`${plural(gone.clients, 'client')} deleted`] : []),
      ...(gone.nonces > 0 ? [`${plural(gone.nonces, 'nonce')} deleted`] : []),
      ...(gone.reassigned > 0 ? [`${plural(gone.reassigned, 'actor')} reassigned to ${heir}`] : []),
      ...(gone.reassignedAliases > 0
        ? [`${plural(gone.reassignedAliases, 'alias', 'aliases')} reassigned to ${heir}`]
        : []),
      ...(gone.reassignedConfigs > 0 ? [`${plural(gone.reassignedConfigs, 'config')} reassigned to ${heir}`] : []),
    ];
    context.output.result(`Deleted user ${gone.deleted} (${what.join(', ')})`, gone, gone.deleted);
    return 0;
  },
});

export const usersCommand: readonly LeafEntry[] = [create, list, show, update, passwd, remove];
