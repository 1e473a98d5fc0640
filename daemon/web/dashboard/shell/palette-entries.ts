// The entries of the palette, and which of them match what one types.
import { formatFailure } from '../api/failure.ts';
import { logOut } from '../login/token.ts';
import { announce } from '../parts/announce.tsx';
import type { Named } from '../parts/known-names.ts';
import { clock, formatRunning, mayMove, openClock, setRunning } from './clock.ts';
import { go } from './router.ts';
import { chooseTheme, themes } from './theme.ts';
import { views } from './views.ts';

export interface Entry {
  readonly kind: 'View' | 'Actor' | 'Execution' | 'Action';
  readonly title: string;
  readonly note?: string;
  readonly open: () => void;
}

/** Entries of a virtual clock, for those who may move it. */
const clockEntries = (): readonly Entry[] => {
  const position = clock.value;
  if (position === undefined) return [];
  const show: Entry = {
    kind: 'Action',
    title: 'Show the virtual clock',
    note: formatRunning(position),
    open: openClock,
  };
  if (!mayMove()) return [show];
  const { running } = position;
  const change = (): void =>
    void setRunning(!running).then(
      () => announce(running ? 'The clock is paused.' : 'The clock runs.'),
      (error: unknown) => announce(formatFailure(error), true),
    );
  return [
    show,
    { kind: 'Action', title: 'Move the virtual clock', open: openClock },
    { kind: 'Action', title: running ? 'Pause the virtual clock' : 'Resume the virtual clock', open: change },
  ];
};

/** Parts of views with an address of their own. */
const parts: readonly (readonly [title: string, path: readonly string[]])[] = [
  ['Webhook deliveries', ['events', 'deliveries']],
  ['OAuth clients', ['access']],
  ['Try a flow', ['access', 'try']],
  ['Nonces', ['access', 'nonces']],
  ['Configs', ['access', 'configs']],
  ['Logins', ['access', 'logins']],
  ['Users', ['access', 'users']],
];

/** What is done on the page of an actor, and its tab. */
const ofActor: readonly (readonly [words: string, tab: string | undefined])[] = [
  ['Edit', 'edit'],
  ['Send a message to', undefined],
  ['Schedule of', 'about'],
  ['Webhook, link and aliases of', 'about'],
  ['State of', 'state'],
  ['Permissions and nonces of', 'access'],
];

/** The buttons of the current view that can be pressed. */
export const buttonEntries = (): readonly Entry[] =>
  [...document.querySelectorAll<HTMLButtonElement>('main button')].flatMap((button) => {
    const title = (button.getAttribute('aria-label') ?? button.textContent ?? '').trim();
    const isUsable = !button.disabled && button.ariaDisabled !== 'true' && button.checkVisibility();
    if (title === '' || !isUsable || button.matches('.quiet')) return [];
    const open = (): void => {
      button.focus();
      button.click();
    };
    return [{ kind: 'Action', title, note: 'in this view', open }];
  });

/** All entries that need no search of the service. */
export const staticEntries = ({
  actors,
  onKeys,
}: {
  readonly actors: readonly Named[];
  readonly onKeys: () => void;
}): readonly Entry[] => [
  ...views.map(({ title, path, key }): Entry => ({ kind: 'View', title, note: `g ${key}`, open: () => go(path) })),
  ...parts.map(([title, path]): Entry => ({ kind: 'View', title, open: () => go(path) })),
  ...actors.map(
    ({ id, name }): Entry => ({
      kind: 'Actor',
      title: name || id,
      ...(name !== '' && { note: id }),
      open: () => go(['actors', id]),
    }),
  ),
  { kind: 'Action', title: 'New actor', open: () => go(['actors'], { create: 'yes' }) },
  ...actors.flatMap(({ id, name }) =>
    ofActor.map(
      ([words, tab]): Entry => ({
        kind: 'Action',
        title: `${words} ${name || id}`,
        open: () => go(['actors', id], { tab }),
      }),
    ),
  ),
  { kind: 'Action', title: 'New client', open: () => go(['access'], { form: 'new' }) },
  ...themes.map((each): Entry => ({ kind: 'Action', title: `Theme: ${each}`, open: () => chooseTheme(each) })),
  ...clockEntries(),
  { kind: 'Action', title: 'Show the keys', open: onKeys },
  { kind: 'Action', title: 'Open the API documentation', open: () => location.assign(`/docs${location.search}`) },
  { kind: 'Action', title: 'Log out', open: () => void logOut() },
];

/** Number of entries that are shown. */
const MOST = 20;

/** Rank of an entry: it begins with the text, a word of it does, or it contains it. Undefined if it does not match. */
const rankOf = ({ title, note = '' }: Entry, text: string): number | undefined => {
  const name = title.toLowerCase();
  if (name.startsWith(text)) return 0;
  const words = name.split(/[^\p{L}\p{N}]+/u);
  if (text.split(/\s+/).every((wanted) => words.some((word) => word.startsWith(wanted)))) return 1;
  if (name.includes(text)) return 2;
  return note.toLowerCase().includes(text) ? 3 : undefined;
};

/** The entries that match a text, the best first. Without a text: the views and actors. */
export const entriesFor = (text: string, entries: readonly Entry[]): readonly Entry[] => {
  if (text === '') return entries.filter(({ kind }) => kind === 'View' || kind === 'Actor').slice(0, MOST);
  const wanted = text.toLowerCase();
  return entries
    .flatMap((entry) => {
      const rank = rankOf(entry, wanted);
      // The service found these, perhaps by a text that is not shown.
      if (rank === undefined && entry.kind !== 'Execution') return [];
      return [{ entry, rank: rank ?? 4 }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ entry }) => entry);
};
