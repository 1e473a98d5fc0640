// Light or dark: the choice of the person, or that of the system.
import { computed, effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const KEY = 'theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});

const chosen = (): Theme => themes.find((each) => each === localStorage.getItem(KEY)) ?? 'system';

export const theme = signal<Theme>(chosen());
addEventListener('storage', () => {
  theme.value = chosen();
});

export const chooseTheme = (choice: Theme): void => {
  if (choice === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  theme.value = choice;
};

/** The theme in which the page is shown. */
export const shownTheme = computed(() =>
  theme.value === 'system' ? (systemIsDark.value ? 'dark' : 'light') : theme.value,
);

effect(() => {
  document.documentElement.dataset['theme'] = shownTheme.value;
});
