// Connects the keys with the page.
import { useEffect } from 'preact/hooks';
import { actionOf, SEQUENCE_MS } from './keys.ts';
import { go } from './router.ts';
import { views } from './views.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'));

const move = (by: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  if (rows.length === 0) return;
  const { activeElement } = document;
  const at = rows.findIndex(
    (row) => row.contains(activeElement) || row.closest('.row')?.contains(activeElement) === true,
  );
  const next = rows[at === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
};

export const useKeys = (showHelp: () => void, showPalette: () => void): void => {
  useEffect(() => {
    let until = 0;
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        if (document.querySelector('dialog[open]') === null) showPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) {
        if (event.key === 'Escape') (event.target as HTMLElement).blur();
        return;
      }
      if (document.querySelector('dialog[open]') !== null) return;
      const action = actionOf(event.key, performance.now() < until);
      until = 0;
      if (action === undefined) return;
      event.preventDefault();
      switch (action.kind) {
        case 'begin':
          until = performance.now() + SEQUENCE_MS;
          break;
        case 'go': {
          const view = views.find(({ key }) => key === action.letter);
          if (view !== undefined) go(view.path);
          break;
        }
        case 'search':
          document.querySelector<HTMLElement>('main [data-search]')?.focus();
          break;
        case 'help':
          showHelp();
          break;
        case 'select':
          document.activeElement?.closest('.row')?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
          break;
        case 'actions':
          document.querySelector<HTMLElement>('main [data-selected]:not([aria-disabled=true])')?.focus();
          break;
        case 'move':
          move(action.by);
      }
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [showHelp, showPalette]);
};
