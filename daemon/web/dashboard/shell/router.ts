// The current place as a signal.
import { computed, signal } from '@preact/signals';
import { hashOf, placeOf } from './place.ts';

const hash = signal(location.hash);

addEventListener('hashchange', () => {
  hash.value = location.hash;
  // What a dialog asks belongs to the place that the user has left, for example with *Back*.
  for (const dialog of document.querySelectorAll('dialog')) dialog.close();
});

export const place = computed(() => placeOf(hash.value));

export const go = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void => {
  location.hash = hashOf(path, query);
};

/** Changes filters of the current view without a new entry in the history. */
export const filter = (changed: Readonly<Record<string, string | undefined>>): void => {
  const next = hashOf(place.value.path, { ...place.value.query, ...changed });
  if (next === location.hash) return;
  history.replaceState(null, '', next);
  hash.value = next;
};
