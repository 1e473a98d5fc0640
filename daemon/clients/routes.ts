// Handlers of OAuth clients.
import type { Handlers } from '../http/route-handler.ts';
import { type ClientsDependencies, clientsService } from './service.ts';

export const clientsHandlers = (
  dependencies: ClientsDependencies,
): Handlers<
  'clients.create' | 'clients.list' | 'clients.show' | 'clients.update' | 'clients.delete' | 'clients.rotate'
> => {
  const service = clientsService(dependencies);
  return {
    'clients.create': async ({ caller, input }) => ({
      result: await service.create(caller, input),
      message: 'Client created successfully.',
    }),
    'clients.list': ({ caller }) => ({ result: service.list(caller), message: 'Clients retrieved successfully.' }),
    'clients.show': ({ caller, params }) => ({
      result: service.show(caller, params.clientName),
      message: 'Client retrieved successfully.',
    }),
    'clients.update': async ({ caller, params, input }) => ({
      result: await service.update(caller, params.clientName, input),
      message: 'Client updated successfully.',
    }),
    'clients.delete': async ({ caller, params }) => ({
      result: await service.remove(caller, params.clientName),
      message: 'Client deleted successfully.',
    }),
    'clients.rotate': async ({ caller, params, input }) => ({
      result: await service.rotate(caller, params.clientName, input.grace ?? 0),
      message: 'Secret rotated successfully.',
    }),
  };
};
