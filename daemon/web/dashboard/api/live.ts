// The live events of the whole page: one stream, whose newest events every view may read.
import { batch, signal } from '@preact/signals';
import type { EventView } from '../../../../src/contract/actors/events.ts';
import { follow } from './event-stream.ts';

/** Maximum number of events in memory. Views read older events from the service on demand. */
export const KEPT = 2_000;

/** The newest events, oldest first. The array is new after every change. */
export const liveEvents = signal<readonly EventView[]>([]);
export const liveNews = signal<readonly EventView[]>([]);
export const liveConnected = signal(false);
/** True if events may be missing: the service removed them, or replaced its data, while this page was disconnected. */
export const liveGap = signal(false);

let pending: EventView[] = [];
let scheduled = false;

/** A busy stream updates the page at most five times a second. */
const GATHERED_MS = 200;

const publish = (): void => {
  scheduled = false;
  const news = pending;
  pending = [];
  batch(() => {
    liveEvents.value = [...liveEvents.value, ...news].slice(-KEPT);
    liveNews.value = news;
  });
};

const take = (event: EventView): void => {
  pending.push(event);
  // A hidden page draws no frames, so arriving events must not accumulate.
  if (pending.length > KEPT) pending = pending.slice(-KEPT);
  if (scheduled) return;
  scheduled = true;
  setTimeout(publish, GATHERED_MS);
};

export const startLive = (): void => {
  void follow({
    address: () => '/actors/v2/events',
    signal: new AbortController().signal,
    onConnected: (connected) => {
      liveConnected.value = connected;
    },
    onMessage: ({ name, data }) => {
      if (name === 'reset') {
        // The stream starts again at the oldest stored event.
        pending = [];
        liveEvents.value = [];
        liveGap.value = true;
      }
      // Notices have lower-case names and are not events.
      if (/^[A-Z]/.test(name)) take(JSON.parse(data) as EventView);
      return undefined;
    },
  });
};
