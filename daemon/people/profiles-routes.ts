// Handlers of profiles.
import type { Handlers } from '../http/route-handler.ts';
import { type ProfilesDependencies, profilesService } from './profiles-service.ts';

/** Makes the handlers. @see docs/protocol.md 4.2, docs/security.md R86 */
export const profilesHandlers = (
  dependencies: ProfilesDependencies,
): Handlers<'profiles.me' | 'profiles.list' | 'profiles.show'> => {
  const service = profilesService(dependencies);
  return {
    'profiles.me': ({ caller }) => ({ result: service.me(caller), message: 'Profile retrieved successfully.' }),
    'profiles.list': ({ caller, query }) => ({
      result: service.list(caller, query),
      message: 'Profiles retrieved successfully.',
    }),
    'profiles.show': ({ caller, params }) => ({
      result: service.show(caller, params.username),
      message: 'Profile retrieved successfully.',
    }),
  };
};
