// Texts that are being written, kept in memory while the page is loaded: they survive a change of view.
import { effect } from '@preact/signals';
import { loginState } from '../../login/token.ts';

/** Makes a map whose entries are removed when the login of the page ends. Nothing of it is ever stored. */
export const createDrafts = <T>(): Map<string, T> => {
  const drafts = new Map<string, T>();
  effect(() => {
    if (loginState.value === 'out') drafts.clear();
  });
  return drafts;
};
