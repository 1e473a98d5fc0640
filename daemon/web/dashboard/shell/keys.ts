// Keys of the whole page: `/`, `g` with a letter, `j` and `k`, `x` and `a`, `?`.

export type KeyAction =
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'go'; readonly letter: string }
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  | { readonly kind: 'select' }
  | { readonly kind: 'actions' }
  | { readonly kind: 'begin' };

/** Time (ms) within which the letter must follow `g`. */
export const SEQUENCE_MS = 1_500;

/** The action of a key. `begin`: wait for the letter after `g`. @param waiting true if `g` was pressed just before */
export const actionOf = (key: string, waiting: boolean): KeyAction | undefined => {
  if (waiting) return /^[a-z]$/.test(key) ? { kind: 'go', letter: key } : undefined;
  if (key === '/') return { kind: 'search' };
  if (key === '?') return { kind: 'help' };
  if (key === 'g') return { kind: 'begin' };
  if (key === 'j') return { kind: 'move', by: 1 };
  if (key === 'k') return { kind: 'move', by: -1 };
  if (key === 'x') return { kind: 'select' };
  if (key === 'a') return { kind: 'actions' };
  return undefined;
};
