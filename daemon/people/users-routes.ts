// Handlers of users.
import type { Handlers } from '../http/route-handler.ts';
import { userRemoval } from './removal.ts';
import { type UsersDependencies, usersService } from './users-service.ts';

export const usersHandlers = (
  dependencies: UsersDependencies,
): Handlers<'users.create' | 'users.list' | 'users.show' | 'users.update' | 'users.delete'> => {
  const service = usersService(dependencies);
  const remove = userRemoval(dependencies);
  return {
    'users.create': async ({ caller, input }) => ({
      result: await service.create(caller, input),
      message: 'User created successfully.',
    }),
    'users.list': ({ caller, query }) => ({
      result: service.list(caller, query.tenant),
      message: 'Users retrieved successfully.',
    }),
    'users.show': ({ caller, params, query }) => ({
      result: service.show(caller, params.username, query.tenant),
      message: 'User retrieved successfully.',
    }),
    'users.update': async ({ caller, params, input, query }) => ({
      result: await service.update(caller, params.username, input, query.tenant),
      message: 'User updated successfully.',
    }),
    'users.delete': async ({ caller, params, query }) => ({
      result: await remove(caller, params.username, query),
      message: 'User deleted successfully.',
    }),
  };
};
