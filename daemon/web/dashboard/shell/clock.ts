// The virtual clock of the service: its position, its changes, and moves.
import { signal } from '@preact/signals';
import { ask, send } from '../api/call.ts';
import { readEvents } from '../api/event-stream.ts';
import { ApiFailure, messageIn } from '../api/failure.ts';
import type { Answer } from '../api/routes.ts';
import { noteRunning } from '../api/service-time.ts';

type ClockReport = Answer<'GET /clock'>;
export type Position = NonNullable<ClockReport['clock']>;

/** Time (ms) between two reads of a clock that is being moved. */
export const PROGRESS_EVERY_MS = 500;

/** A move: to a time, or by a duration as the command takes it. */
export type Move = { readonly to: string } | { readonly by: string };

export const report = signal<ClockReport | undefined>(undefined);
/** Undefined if the service has the clock of the machine, or has not responded yet. */
export const clock = signal<Position | undefined>(undefined);
export const clockIsOpen = signal(false);
/** The move that this page requested and that has not ended. Aborting stops it where it is. */
export const underway = signal<AbortController | undefined>(undefined);

export const openClock = (): void => {
  clockIsOpen.value = true;
};

/** Only callers who may move the clock see the next runs. */
export const mayMove = (): boolean => report.value?.next !== undefined;

export const formatRunning = ({ running, advancing }: Position): string =>
  advancing ? 'is being moved' : running ? 'runs' : 'paused';

/** The time to show (ms). @param now the time of the service, which is not up to date right after a move */
export const shownTime = ({ time, running }: Position, now: number): number => {
  const read = Date.parse(time);
  return running ? Math.max(read, now) : read;
};

/** Numbers of the latest read, and of the latest one whose result is shown: results may arrive in another order. */
let begun = 0;
let latest = 0;

export const readClock = async (signal?: AbortSignal): Promise<void> => {
  begun += 1;
  const turn = begun;
  const found = await ask('GET /clock', { signal });
  if (turn < latest) return;
  latest = turn;
  noteRunning(found.clock?.running === true);
  report.value = found;
  clock.value = found.clock;
};

export const setRunning = async (runs: boolean): Promise<void> => {
  await (runs ? ask('POST /clock/resume', {}) : ask('POST /clock/pause', {}));
  await readClock();
};

type Moved = Answer<'POST /clock/move'>;

/**
 * Reads the stream of a move, and shows its progress. The stream needs no other request, for which the token may have
 * expired by the clock that moves.
 * @throws ApiFailure
 */
const readMove = async (body: ReadableStream<Uint8Array>): Promise<Moved> => {
  let moved: Moved | undefined;
  let problem: string | undefined;
  try {
    await readEvents(body, ({ name, data }) => {
      const value: unknown = JSON.parse(data);
      if (name === 'progress') clock.value = value as Position;
      else if (name === 'done') moved = value as Moved;
      else problem = messageIn(value, 409);
    });
  } catch (error) {
    // An abort is a stop by the person. Any other end of the stream is reported below.
    if (error instanceof DOMException) throw error;
  }
  if (moved !== undefined) return moved;
  throw new ApiFailure(409, problem ?? 'The connection broke. The clock stands where it was then.');
};

/**
 * Moves the clock if at most this many scheduled runs fall due. A move goes on while its dialog is closed, and stops
 * when the page is left.
 */
export const moveClock = async (move: Move, most: number): Promise<Moved> => {
  const controller = new AbortController();
  underway.value = controller;
  try {
    const response = await send('/clock/move', {
      method: 'POST',
      headers: { accept: 'text/event-stream, application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ ...move, most }),
      signal: controller.signal,
    });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body !== null) {
      return await readMove(response.body);
    }
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw new ApiFailure(response.status, messageIn(body, response.status));
    return (body as { result: Moved }).result;
  } finally {
    underway.value = undefined;
    await readClock().catch(() => undefined);
  }
};
