// Routes of users.
import type { Handlers } from '../http/on.ts';
import { type UsersDependencies, usersService } from './service.ts';

export const usersHandlers = (dependencies: UsersDependencies): Handlers<'users.create' | 'users.list'> => {
  const service = usersService(dependencies);
  return {
    'users.create': async ({ caller, input }) => ({
      result: await service.create(caller, input),
      message: 'User created successfully.',
    }),
    'users.list': ({ caller }) => ({ result: service.list(caller), message: 'Users retrieved successfully.' }),
  };
};
