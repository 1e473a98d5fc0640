// Profiles that admins create, change and delete: on the hosted platform a profile is a user.
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { userOperations, userRegistration } from '../../../src/contract/people/users.ts';
import { type AddedOperation, added } from './added-operation.ts';

const { 'users.create': create, 'users.update': update, 'users.delete': remove } = userOperations;

const registration = z.extend(userRegistration, { password: z.optional(userRegistration.shape.password) });

/** A password that nobody knows, for a user without one: the user logs in once an admin has set another. */
const unknownPassword = (): string => randomBytes(32).toString('base64url');

export const profileOperations: readonly AddedOperation[] = [
  added(
    { ...create, id: 'profiles.create', path: '/profiles/v2', input: registration },
    (handlers) => (context) =>
      handlers['users.create']({
        ...context,
        // It is not an own property of the context.
        signal: context.signal,
        input: { ...context.input, password: context.input.password ?? unknownPassword() },
      }),
  ),
  added({ ...update, id: 'profiles.update', path: '/profiles/v2/:username' }, (handlers) => handlers['users.update']),
  added({ ...remove, id: 'profiles.delete', path: '/profiles/v2/:username' }, (handlers) => handlers['users.delete']),
];
