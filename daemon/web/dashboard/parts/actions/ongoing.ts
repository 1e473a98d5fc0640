// Actions that run once at a time: a double click does not send the same request twice.
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { keepFocus } from './keep-focus.ts';

/**
 * Creates the set of the actions that are running in a view. A view with only one action needs no key.
 * @param onStart called before an action disables its button
 */
export const createOngoing = (onStart: () => void) => {
  const keys = signal<ReadonlySet<string>>(new Set());
  return {
    has: (key = ''): boolean => keys.value.has(key),
    /** Runs an action. Does nothing if an action with this key runs already. */
    run: async (work: () => Promise<void>, key = ''): Promise<void> => {
      if (keys.value.has(key)) return;
      onStart();
      keys.value = new Set([...keys.value, key]);
      try {
        await work();
      } finally {
        keys.value = new Set([...keys.value].filter((each) => each !== key));
      }
    },
  };
};

export const useOngoing = () => useMemo(() => createOngoing(keepFocus), []);
