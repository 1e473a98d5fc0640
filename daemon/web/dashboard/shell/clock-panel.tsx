// The dialog of the virtual clock: its position, the next scheduled runs, and for those who may, its moves.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { now } from '../parts/ago.tsx';
import { Command } from '../parts/terminal-line.tsx';
import { safe } from '../parts/text.ts';
import { formatMoment, zone } from '../parts/time.ts';
import { clock, clockIsOpen, formatRunning, type Move, mayMove, readClock, report, shownTime } from './clock.ts';
import { commandOf, Moves, Progress } from './clock-moves.tsx';
import { hashOf } from './place.ts';

const moment = (time: string): string => formatMoment(Date.parse(time));

const NextRuns = () => {
  const { next = [], executions } = report.value ?? {};
  return (
    <section aria-labelledby="clock-next">
      <h3 id="clock-next">Next scheduled runs</h3>
      {next.length === 0 ? <p class="soft">No schedule of your tenant is on.</p> : null}
      <ul>
        {next.map(({ time, actorId, actor }) => (
          <li key={`${time} ${actorId}`}>
            <time dateTime={time}>{moment(time)}</time>{' '}
            <a class="link" href={hashOf(['actors', actorId])}>
              {safe(actor || actorId)}
            </a>
          </li>
        ))}
      </ul>
      {executions === undefined ? null : (
        <p class="soft">
          Executions of your tenant, which run in real time: {executions.running.toLocaleString('en')} running,{' '}
          {executions.queued.toLocaleString('en')} waiting.
        </p>
      )}
    </section>
  );
};

/** Open as long as it is rendered. */
export const ClockPanel = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // The next runs may be as old as the last regular read.
    void readClock().catch(() => undefined);
  }, []);
  const chosen = useSignal<Move | undefined>(undefined);
  const position = clock.value;
  if (position === undefined) return null;
  const time = shownTime(position, now.value);
  return (
    <dialog
      ref={dialog}
      class="clock-panel"
      aria-labelledby="clock-title"
      onClose={() => {
        clockIsOpen.value = false;
      }}
    >
      <h2 id="clock-title">Virtual clock</h2>
      <p>
        <time class="clock-time" dateTime={new Date(time).toISOString()}>
          {formatMoment(time)}
        </time>{' '}
        {zone(time)}, {formatRunning(position)}
      </p>
      {position.advancing ? <Progress {...position} /> : null}
      {mayMove() ? (
        <>
          <Moves position={position} chosen={chosen} />
          <NextRuns />
        </>
      ) : (
        <p class="soft">Only admins of the first tenant can move the clock, because it is the clock of all tenants.</p>
      )}
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
        {mayMove() ? <Command line={commandOf(chosen.value)} /> : null}
      </div>
    </dialog>
  );
};
