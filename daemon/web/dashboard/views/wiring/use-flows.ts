// The events sent along each edge in the last minute: read once, then updated from the event stream.
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { liveEvents, liveNews } from '../../api/live.ts';
import { serviceNow } from '../../api/service-time.ts';
import { areSame, type Counts, createFlows, WINDOW_MS } from './flows.ts';

/**
 * Number of events per request, and maximum number of requests. In a busier minute, only the events that were read or
 * received are counted.
 */
const PAGE = 1_000;
const PAGES = 5;
/** Maximum delay before an event is shown. Events that arrive together become one update. */
const SHOWN_AFTER_MS = 250;
const FORGET_EVERY_MS = 1_000;

export const useFlows = (): ReadonlySignal<Counts> => {
  const { counts, begin } = useMemo(() => {
    const flows = createFlows();
    const counts = signal<Counts>(new Map());
    let soon: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      clearTimeout(soon);
      soon = undefined;
      const now = flows.at(serviceNow());
      if (!areSame(now, counts.peek())) counts.value = now;
    };
    const readMinute = async (abort: AbortSignal): Promise<void> => {
      const since = new Date(serviceNow() - WINDOW_MS).toISOString();
      let before: string | undefined;
      for (let page = 0; page < PAGES; page += 1) {
        const query = { order: 'desc', limit: PAGE, since, before };
        const { events, next, more } = await ask('GET /actors/v2/events', { query, signal: abort });
        flows.add(events, serviceNow());
        if (!more) break;
        before = next;
      }
      show();
    };
    const begin = (): (() => void) => {
      const controller = new AbortController();
      // Without a response, counting starts with the next event.
      void readMinute(controller.signal).catch(() => undefined);
      flows.add(liveEvents.peek(), serviceNow());
      const stop = effect(() => {
        flows.add(liveNews.value, serviceNow());
        soon ??= setTimeout(show, SHOWN_AFTER_MS);
      });
      const timer = setInterval(() => (document.hidden ? undefined : show()), FORGET_EVERY_MS);
      return () => {
        controller.abort();
        stop();
        clearInterval(timer);
        clearTimeout(soon);
      };
    };
    return { counts, begin };
  }, []);
  useEffect(() => begin(), [begin]);
  return counts;
};
