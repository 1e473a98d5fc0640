// `users`: the local user store, for admins: create, list.
import { randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { roles } from '../contract/users.ts';
import { usage } from '../failure.ts';
import { command, group } from './command.ts';
import { flag, required, text, texts } from './option.ts';
import { newPassword, passwordFromStdin } from './password.ts';
import { userView } from './views.ts';

/** Bytes of chance in a password made here. */
const PASSWORD_BYTES = 18;

const rolesOf = (given: readonly string[]): readonly string[] =>
  given
    .flatMap((words) => words.split(/[\s,]+/))
    .filter((word) => word !== '')
    .map((word) => {
      if (!roles.some((role) => role === word))
        throw usage(`--role: there is no role '${word}'`, `use ${roles.join(', ')}`);
      return word;
    });

const passwordFor = (
  context: Pick<Context, 'read' | 'prompt'>,
  { generate, passwordStdin }: { readonly generate: boolean; readonly passwordStdin: boolean },
): Promise<string> => {
  if (generate && passwordStdin) throw usage('--generate and --password-stdin exclude each other');
  if (generate) return Promise.resolve(randomBytes(PASSWORD_BYTES).toString('base64url'));
  return passwordStdin ? passwordFromStdin(context) : newPassword(context, '--password-stdin or --generate');
};

const create = command({
  name: 'create',
  summary: 'Creates a user.',
  operations: ['users.create'],
  args: { name: required('user name') },
  options: {
    email: text('--email <address>', 'e-mail address'),
    firstName: text('--first-name <name>', 'first name'),
    lastName: text('--last-name <name>', 'last name'),
    role: texts('--role <names>', `${roles.join(', ')}; the default is user`),
    passwordStdin: flag('--password-stdin', 'read the password from stdin'),
    generate: flag('--generate', 'make a password and show it this once'),
  },
  examples: ['actorctl users create ana --generate', 'actorctl users create ana --password-stdin < password.txt'],
  run: async (context, { name }, { email, firstName, lastName, role, ...how }) => {
    const asked = rolesOf(role);
    const password = await passwordFor(context, how);
    const made = await context.call('users.create', {
      body: {
        username: name,
        password,
        ...(email !== undefined && { email }),
        ...(firstName !== undefined && { first_name: firstName }),
        ...(lastName !== undefined && { last_name: lastName }),
        ...(asked.length > 0 && { roles: asked }),
      },
    });
    context.output.result(
      `Created user ${made.username}${how.generate ? `  password shown once: ${password}` : ''}`,
      // A script that has a password made must be told it; nobody else ever sees it.
      how.generate ? { ...made, password } : made,
      made.username,
    );
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'Lists the users of your tenant.',
  operations: ['users.list'],
  list: true,
  run: async (context) => {
    context.output.rows(await context.call('users.list'), userView);
    return 0;
  },
});

/** `users` */
export const usersCommand = group('users', { aliases: ['user'], summary: 'The local user store; admins only.' }, [
  create,
  list,
]);
