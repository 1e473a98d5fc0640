// The frame of the page: navigation, state of the connection, and the current view.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { online } from '../api/call.ts';
import { liveConnected } from '../api/live.ts';
import { firstReads } from '../api/poll.ts';
import { isVirtual } from '../api/service-time.ts';
import { goToLogin, loginProblem, loginState } from '../login/token.ts';
import { Announcer, announce } from '../parts/announce.tsx';
import { TerminalLine } from '../parts/terminal-line.tsx';
import { zone } from '../parts/time.ts';
import { Account, Clock, Connection, Navigation } from './bar.tsx';
import type { PaletteProps } from './palette.tsx';
import { hashOf, type ViewProps } from './place.ts';
import { place } from './router.ts';
import { useKeys } from './use-keys.ts';
import { viewOf, views } from './views.ts';

const keys: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl+K', 'Go to an actor, execution, view or action'],
  ['/', 'Search in this view'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row of a list of executions'],
  ['a', 'Go to the actions for the selected rows'],
  ['Esc', 'Leave a field or close a dialog'],
  ['?', 'Show this list'],
];

const Help = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {[...keys, ...views.map(({ key, title }) => [`g ${key}`, `Go to ${title}`] as const)].map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
};

/** Shown a moment after a view has begun to read, because most responses arrive before. */
const Reading = () => (firstReads.value === 0 ? null : <div class="reading" role="progressbar" aria-label="Reading" />);

/** The current view, loaded on demand. The previous view stays until the new one is loaded. */
const Current = () => {
  const at = place.value;
  const view = viewOf(at);
  const [shown, setShown] = useState<{ readonly title: string; readonly View: ComponentType<ViewProps> }>();
  const problem = useSignal<string | undefined>(undefined);
  // A view that could not be loaded while the daemon was away is loaded when it is back.
  const isConnected = liveConnected.value;
  useEffect(() => {
    if (view === undefined) return;
    document.title = `${[view.title, ...at.path.slice(1)].join(' · ')} · actorctl`;
    if (shown?.title === view.title) return;
    view
      .load()
      .then((View) => {
        problem.value = undefined;
        setShown({ title: view.title, View });
      })
      .catch(() => {
        // After an update, the daemon no longer serves the files that this page refers to.
        problem.value = 'This view cannot be loaded. Reload the page.';
      });
  }, [view, at, shown, problem, isConnected]);
  if (view === undefined) {
    return (
      <section class="notice">
        <h1>Nothing is at this address</h1>
        <p>
          Check it, or <a href={hashOf([])}>open the overview</a>.
        </p>
      </section>
    );
  }
  if (problem.value !== undefined) return <p class="notice">{problem.value}</p>;
  return shown === undefined || shown.title !== view.title ? null : <shown.View place={at} />;
};

const LoggedOut = () => (
  <main class="door">
    <h1>actorctl</h1>
    {loginProblem.value === undefined ? null : <p role="alert">{loginProblem.value}</p>}
    <button type="button" class="primary" onClick={() => void goToLogin()}>
      Log in
    </button>
    <TerminalLine line="actorctl open" />
    <Announcer />
  </main>
);

const HandedOver = () => (
  <main class="door">
    <h1>Done</h1>
    <p role="status">The other tab of the dashboard received the response. Close this tab.</p>
  </main>
);

export const App = () => {
  const [help, setHelp] = useState(false);
  const palette = useSignal<ComponentType<PaletteProps> | undefined>(undefined);
  const showHelp = useCallback(() => setHelp(true), []);
  const showPalette = useCallback(() => {
    void import('./palette.tsx')
      .then(({ Palette }) => {
        palette.value = Palette;
      })
      // The daemon is away, or no longer serves the file after an update.
      .catch(() => announce('The list cannot be loaded. Reload the page.', true));
  }, [palette]);
  const main = useRef<HTMLElement>(null);
  useKeys(showHelp, showPalette);
  if (loginState.value === 'starting') return <p class="door soft">Logging in…</p>;
  if (loginState.value === 'out') return <LoggedOut />;
  if (loginState.value === 'handed') return <HandedOver />;
  return (
    <div class="frame">
      <header class="bar">
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <a class="brand" href={hashOf([])}>
          actorctl
        </a>
        <Navigation />
        {isVirtual.value ? <Clock /> : null}
        <div class="bar-end">
          <Connection />
          <button type="button" class="quiet" onClick={showPalette} title="Ctrl+K">
            Go to
          </button>
          <button type="button" class="quiet" onClick={showHelp} aria-label="Keys">
            ?
          </button>
          <Account />
        </div>
      </header>
      {loginState.value === 'lost' ? (
        <div class="banner" role="alert">
          Your login has ended, so what you see may be old.{' '}
          <button type="button" onClick={() => void goToLogin()}>
            Log in again
          </button>
        </div>
      ) : null}
      {online.value ? null : (
        <div class="banner" role="alert">
          The daemon does not respond. The page resumes when the daemon is back. To start it: <code>actorctl up</code>
        </div>
      )}
      <main class="main" ref={main} tabIndex={-1}>
        <Reading />
        <Current />
      </main>
      <footer class="zone">Times in {zone()}</footer>
      {palette.value === undefined ? null : (
        <palette.value
          onKeys={showHelp}
          onClose={() => {
            palette.value = undefined;
          }}
        />
      )}
      <Help open={help} onClose={() => setHelp(false)} />
      <Announcer />
    </div>
  );
};
