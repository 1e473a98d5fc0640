// The logged-in user.
import { signal } from '@preact/signals';
import { ask } from '../api/call.ts';
import type { Answer } from '../api/routes.ts';

export const me = signal<Answer<'GET /profiles/v2/me'> | undefined>(undefined);

export const readMe = async (): Promise<void> => {
  me.value = await ask('GET /profiles/v2/me', {});
};
