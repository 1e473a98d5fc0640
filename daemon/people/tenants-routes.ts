// Handlers of tenants.
import type { Handlers } from '../http/route-handler.ts';
import { type TenantsDependencies, tenantsService } from './tenants-service.ts';

export const tenantsHandlers = (
  dependencies: TenantsDependencies,
): Handlers<'tenants.list' | 'tenants.create' | 'tenants.show' | 'tenants.update'> => {
  const service = tenantsService(dependencies);
  return {
    'tenants.list': () => ({ result: service.list(), message: 'Tenants retrieved successfully.' }),
    'tenants.create': async ({ caller, input }) => ({
      result: await service.create(caller, input),
      message: 'Tenant created successfully.',
    }),
    'tenants.show': ({ caller, params }) => ({
      result: service.show(caller, params.tenantId),
      message: 'Tenant retrieved successfully.',
    }),
    'tenants.update': async ({ caller, params, input }) => ({
      result: await service.update(caller, params.tenantId, input),
      message: 'Tenant updated successfully.',
    }),
  };
};
