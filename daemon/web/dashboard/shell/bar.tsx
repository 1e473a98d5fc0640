// The parts of the bar at the top: navigation, virtual clock, state of the connection, account menu.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { online } from '../api/call.ts';
import { liveConnected } from '../api/live.ts';
import { usePolled } from '../api/poll.ts';
import { clockJumps } from '../api/service-time.ts';
import { logOut } from '../login/token.ts';
import { now } from '../parts/ago.tsx';
import { announce } from '../parts/announce.tsx';
import { formatMoment, zoneOffset } from '../parts/time.ts';
import { clock, clockIsOpen, formatRunning, openClock, PROGRESS_EVERY_MS, readClock, shownTime } from './clock.ts';
import { me } from './me.ts';
import { hashOf } from './place.ts';
import { place } from './router.ts';
import { chooseTheme, type Theme, theme, themes } from './theme.ts';
import { viewOf, views } from './views.ts';

export const Navigation = () => {
  const nav = useRef<HTMLElement>(null);
  const current = viewOf(place.value)?.title;
  // On a phone, the navigation links are wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav class="nav" aria-label="Views" ref={nav}>
      <ul>
        {views.map(({ title, path, key }) => (
          <li key={title}>
            <a href={hashOf(path)} aria-current={current === title ? 'page' : undefined} title={`g ${key}`}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

export const Connection = () => {
  const text = !online.value ? 'No connection' : liveConnected.value ? 'Live' : 'Connecting';
  return (
    <span class={`connection ${online.value && liveConnected.value ? 'is-live' : 'is-away'}`} role="status">
      {text}
    </span>
  );
};

/** Closes when the user clicks elsewhere, presses Escape, or opens another view. */
export const Account = () => {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const shut = (): void => menu.current?.removeAttribute('open');
    const clicked = ({ target }: Event): void => {
      if (!(target instanceof Node) || !menu.current?.contains(target)) shut();
    };
    const pressed = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !menu.current?.open) return;
      shut();
      menu.current.querySelector('summary')?.focus();
    };
    document.addEventListener('click', clicked);
    document.addEventListener('keydown', pressed);
    addEventListener('hashchange', shut);
    return () => {
      document.removeEventListener('click', clicked);
      document.removeEventListener('keydown', pressed);
      removeEventListener('hashchange', shut);
    };
  }, []);
  return (
    <details class="menu" ref={menu}>
      <summary>{me.value?.username ?? 'Account'}</summary>
      <div>
        <p class="soft">
          {me.value === undefined ? '' : `Logged in as ${me.value.username}`}
          <br />
          actorctl {document.body.dataset['version']}
        </p>
        <label>
          Theme{' '}
          <select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
            {themes.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <a href={`/docs${location.search}`}>API documentation</a>
        <button type="button" onClick={logOut}>
          Log out
        </button>
      </div>
    </details>
  );
};

/** Reads a clock that is being moved this often, and any other one rarely: a jump of its time causes a read, too. */
const CLOCK_READS = { every: PROGRESS_EVERY_MS, isOver: () => clock.peek()?.advancing !== true, overEvery: 15_000 };

/** The virtual clock. It opens a dialog, whose code is loaded then. */
export const Clock = () => {
  const polled = usePolled('', readClock, CLOCK_READS);
  const panel = useSignal<ComponentType | undefined>(undefined);
  const jumps = clockJumps.value;
  useEffect(() => {
    if (jumps > 0) polled.again();
  }, [jumps, polled]);
  const isOpen = clockIsOpen.value;
  useEffect(() => {
    if (!isOpen || panel.peek() !== undefined) return;
    void import('./clock-panel.tsx')
      .then(({ ClockPanel }) => {
        panel.value = ClockPanel;
      })
      // The daemon is away, or no longer serves the file after an update.
      .catch(() => {
        clockIsOpen.value = false;
        announce('The clock cannot be opened. Reload the page.', true);
      });
  }, [isOpen, panel]);
  const position = clock.value;
  if (position === undefined) return null;
  const time = shownTime(position, now.value);
  return (
    <>
      <button type="button" class="quiet clock" aria-haspopup="dialog" title="Virtual clock" onClick={openClock}>
        <span class="visually-hidden">Virtual clock </span>
        <time dateTime={new Date(time).toISOString()}>{formatMoment(time)}</time> <span>{zoneOffset(time)}</span>{' '}
        <span class={position.running ? 'clock-runs' : ''}>{formatRunning(position)}</span>
      </button>
      {isOpen && panel.value !== undefined ? <panel.value /> : null}
    </>
  );
};
