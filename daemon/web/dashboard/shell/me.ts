// The logged-in user.
import { signal } from '@preact/signals';
import { ask } from '../api/call.ts';
import { ApiFailure } from '../api/failure.ts';
import { usePolled } from '../api/poll.ts';
import type { Answer } from '../api/routes.ts';

export const me = signal<Answer<'GET /profiles/v2/me'> | undefined>(undefined);

export const readMe = async (): Promise<void> => {
  me.value = await ask('GET /profiles/v2/me', {});
};

/** Whether the service lets the user see the admin views. */
const readIsAdmin = async (signal: AbortSignal): Promise<boolean> => {
  try {
    await ask('GET /actors/v2/admin/workers', { signal });
    return true;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return false;
    throw error;
  }
};

/** Undefined while it is not known. */
export const useIsAdmin = (): boolean | undefined =>
  usePolled('is admin', readIsAdmin, { every: Number.POSITIVE_INFINITY }).value.value;
