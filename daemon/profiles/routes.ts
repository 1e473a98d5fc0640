// Routes of profiles.
import type { Handlers } from '../http/on.ts';
import { type ProfilesDependencies, profilesService } from './service.ts';

/** @see spec 4.2, auth.md R86 */
export const profilesHandlers = (dependencies: ProfilesDependencies): Handlers<'profiles.me'> => {
  const service = profilesService(dependencies);
  return {
    'profiles.me': ({ caller }) => ({ result: service.me(caller), message: 'Profile retrieved successfully.' }),
  };
};
