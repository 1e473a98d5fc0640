// The moves of the virtual clock: by a duration or to a time, with a question if scheduled runs fall due.

import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatFailure } from '../api/failure.ts';
import type { Answer } from '../api/routes.ts';
import { ActionButton } from '../parts/actions/action-button.tsx';
import { useOngoing } from '../parts/actions/ongoing.ts';
import { announce } from '../parts/announce.tsx';
import { commandLine } from '../parts/command.ts';
import { Problem } from '../parts/problem.tsx';
import { Command } from '../parts/terminal-line.tsx';
import { formatMoment } from '../parts/time.ts';
import { type Move, moveClock, type Position, setRunning, underway } from './clock.ts';

const steps: readonly (readonly [title: string, by: string])[] = [
  ['+1 min', '1m'],
  ['+1 h', '1h'],
  ['+1 day', '1d'],
];

/** The number of runs up to which the command does not ask. */
const UNASKED = 10_000;

const runs = (count: number): string => `${count.toLocaleString('en')} scheduled run${count === 1 ? '' : 's'}`;
const moment = (time: string): string => formatMoment(Date.parse(time));

export const commandOf = (move: Move | undefined, due = 0): string => {
  if (move === undefined) return commandLine('clock', 'show');
  const max = due > UNASKED ? ['--max', String(due)] : [];
  return 'by' in move ? commandLine('clock', 'advance', move.by, ...max) : commandLine('clock', 'set', move.to, ...max);
};

/** How far a move is. The page that requested it can stop it. */
export const Progress = ({ target, fired, due }: Position) => (
  <div class="clock-move" role="status">
    <p>
      The clock is being moved{target === undefined ? '' : ` to ${moment(target)}`}
      {due === undefined ? '.' : `: ${(fired ?? 0).toLocaleString('en')} of ${runs(due)} sent.`}
    </p>
    <progress aria-label="Progress of the move" max={Math.max(1, due ?? 1)} value={fired ?? 0} />
    {underway.value === undefined ? null : (
      <button type="button" onClick={() => underway.value?.abort()}>
        Stop here
      </button>
    )}
  </div>
);

/** Gets the focus when it appears. */
const focused = (button: HTMLButtonElement | null): void => button?.focus();

/** Scheduled runs that a move would cause, to be confirmed. */
interface Question {
  readonly move: Move;
  readonly moved: Answer<'POST /clock/move'>;
}

interface MovesProps {
  readonly position: Position;
  /** The move that was entered last, for the command line. */
  readonly chosen: Signal<Move | undefined>;
}

export const Moves = ({ position, chosen }: MovesProps) => {
  const by = useSignal('');
  const to = useSignal('');
  const question = useSignal<Question | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const ongoing = useOngoing();
  /** Where the focus was before a question. It returns there. */
  const opener = useRef<Element | null>(null);
  const answer = (next: Question | undefined): void => {
    question.value = next;
    if (next === undefined)
      requestAnimationFrame(() => opener.current instanceof HTMLElement && opener.current.focus());
  };
  const act = (work: () => Promise<Question | undefined>): void => {
    if (question.value === undefined) opener.current = document.activeElement;
    void ongoing.run(async () => {
      problem.value = undefined;
      question.value = undefined;
      let next: Question | undefined;
      try {
        next = await work();
      } catch (error) {
        const isStopped = error instanceof DOMException && error.name === 'AbortError';
        if (isStopped) announce('The move was stopped.');
        else problem.value = formatFailure(error);
      }
      answer(next);
    });
  };
  const go = (move: Move, most: number): void =>
    act(async () => {
      chosen.value = move;
      const moved = await moveClock(move, most);
      if (!moved.moved) return { move, moved };
      announce(`The clock is paused at ${moment(moved.to)}. ${runs(moved.due)} sent.`);
      return undefined;
    });
  const changeRunning = (): void =>
    act(async () => {
      await setRunning(!position.running);
      return undefined;
    });
  const asked = question.value;
  const isBusy = ongoing.has() || position.advancing || asked !== undefined;
  const { target } = position;
  return (
    <>
      {asked === undefined ? null : (
        <div class="clock-move">
          <p id="clock-question">
            {runs(asked.moved.due)} {asked.moved.due === 1 ? 'falls' : 'fall'} due until {moment(asked.moved.to)}. All
            of them will be sent.
          </p>
          <div class="actions">
            <button
              type="button"
              class="primary"
              aria-describedby="clock-question"
              ref={focused}
              onClick={() => go(asked.move, asked.moved.due)}
            >
              Move the clock
            </button>
            <button type="button" onClick={() => answer(undefined)}>
              Cancel
            </button>
            <Command line={commandOf(asked.move, asked.moved.due)} />
          </div>
        </div>
      )}
      {target === undefined || position.advancing ? null : (
        <div class="clock-move">
          <p>A move to {moment(target)} was interrupted.</p>
          <ActionButton isOff={isBusy} onClick={() => go({ to: target }, 0)}>
            Continue it
          </ActionButton>
        </div>
      )}
      <div class="actions">
        <ActionButton isOff={isBusy} onClick={changeRunning}>
          {position.running ? 'Pause' : 'Resume'}
        </ActionButton>
        {steps.map(([title, step]) => (
          <ActionButton key={step} isOff={isBusy} onClick={() => go({ by: step }, 0)}>
            {title}
          </ActionButton>
        ))}
      </div>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          go({ by: by.value }, 0);
        }}
      >
        <label for="clock-by">Move by a duration (90s, 3h, 1d12h, 2w, 1mo, 1y)</label>
        <div class="actions">
          <input
            id="clock-by"
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="1d12h"
            value={by.value}
            onInput={(event) => {
              by.value = event.currentTarget.value;
              chosen.value = by.value === '' ? undefined : { by: by.value };
            }}
          />
          <ActionButton type="submit" isOff={isBusy} aria-label="Move by this duration">
            Move
          </ActionButton>
        </div>
      </form>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          go({ to: new Date(to.value).toISOString() }, 0);
        }}
      >
        <label for="clock-to">Move to a local time</label>
        <div class="actions">
          <input
            id="clock-to"
            type="datetime-local"
            step="1"
            required
            value={to.value}
            onInput={(event) => {
              to.value = event.currentTarget.value;
              chosen.value = to.value === '' ? undefined : { to: new Date(to.value).toISOString() };
            }}
          />
          <ActionButton type="submit" isOff={isBusy} aria-label="Move to this time">
            Move
          </ActionButton>
        </div>
      </form>
      <Problem text={problem.value} />
      <p class="soft">
        A move sends the scheduled runs on its way, and the clock is paused afterwards. Logins and tokens expire by this
        clock, too.
      </p>
    </>
  );
};
