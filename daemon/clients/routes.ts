// Routes of OAuth clients.
import type { Handlers } from '../http/on.ts';
import { type ClientsDependencies, clientsService } from './service.ts';

export const clientsHandlers = (dependencies: ClientsDependencies): Handlers<'clients.create' | 'clients.list'> => {
  const service = clientsService(dependencies);
  return {
    'clients.create': async ({ caller, input }) => ({
      result: await service.create(caller, input),
      message: 'Client created successfully.',
    }),
    'clients.list': ({ caller }) => ({ result: service.list(caller), message: 'Clients retrieved successfully.' }),
  };
};
