// Checks after a crash test of events: compares what every consumer got with the list of events.
import { readFileSync } from 'node:fs';
import type { EventView } from '../../../src/contract/actors/events.ts';
import { type BuiltDaemon, until } from '../daemon/daemon.ts';
import { type Row, rowsOf } from './crash-test.ts';
import type { Arrival, EventActors, Happened } from './event-crash-test.ts';
import type { ResumingTail } from './resuming-tail.ts';

interface Delivery {
  readonly id: string;
  readonly actorId: string;
  readonly eventId: string;
  readonly url: string;
  readonly status: string;
  readonly httpStatus?: number;
  readonly error?: string;
}

const PAGE = 1_000;

export const allEvents = async (daemon: BuiltDaemon): Promise<readonly EventView[]> => {
  const events: EventView[] = [];
  for (let after = '0'; ; ) {
    const { result } = await daemon.ask('GET', `/actors/v2/events?after=${after}&limit=${PAGE}`);
    events.push(...(result['events'] as EventView[]));
    if (result['more'] !== true) return events;
    after = String(result['next']);
  }
};

const deliveriesBehind = async (daemon: BuiltDaemon, after: string) => {
  const { result } = await daemon.ask('GET', `/actors/v2/deliveries?after=${after}&limit=${PAGE}`);
  return { deliveries: result['deliveries'] as readonly Delivery[], next: String(result['next']) };
};

/** All deliveries, after all of them have ended. */
export const allDeliveries = async (daemon: BuiltDaemon): Promise<readonly Delivery[]> => {
  const deliveries: Delivery[] = [];
  for (let after = '0'; ; ) {
    let page = await deliveriesBehind(daemon, after);
    await until(async () => {
      if (!page.deliveries.some(({ status }) => status === 'WAITING' || status === 'SENDING')) return true;
      page = await deliveriesBehind(daemon, after);
      return false;
    }, 200);
    deliveries.push(...page.deliveries);
    if (page.deliveries.length < PAGE) return deliveries;
    after = page.next;
  }
};

/** Waits until all executions of the runners and of the recorder linked to them have ended. */
export const allRan = async (daemon: BuiltDaemon, { runners, recorder }: EventActors): Promise<void> => {
  for (const actor of [...runners, recorder]) {
    const isOver = ({ status }: Row) => status === 'COMPLETE' || status === 'ERROR';
    await until(async () => (await rowsOf(daemon, actor)).every(isOver), 200);
  }
};

/** The differences between `found` and `expected`, as text. Empty if they are equal. */
const difference = <T>(what: string, found: readonly T[], expected: readonly T[]): readonly string[] => {
  const at = expected.findIndex((each, index) => found[index] !== each);
  if (at === -1 && found.length === expected.length) return [];
  const place = at === -1 ? expected.length : at;
  return [
    `${what}: ${found.length} instead of ${expected.length}; at ${place} ${String(found[place])} instead of ${String(expected[place])}`,
  ];
};

/**
 * Every acknowledged event is listed, no unknown event is listed, and the events of an actor are in the order of their
 * emission.
 */
export const emissionFaults = (events: readonly EventView[], { emitted, unknown }: Happened): readonly string[] => {
  const faults: string[] = [];
  const listed = new Map(events.map((event) => [event.id, event]));
  for (const [id, { actor, text }] of emitted) {
    const event = listed.get(id);
    if (event?.actor_id !== actor || event.status_message !== text) faults.push(`event ${id} (${text}) is lost`);
  }
  const last = new Map<string, number>();
  for (const { id, actor_id: actor, status_message: text = '', synthetic } of events) {
    if (!synthetic) continue;
    if (!emitted.has(id) && !unknown.has(text)) faults.push(`nobody emitted event ${id} (${text})`);
    const number = Number(text.split(' ')[1]);
    if (number <= (last.get(actor) ?? 0)) faults.push(`event ${id} (${text}) is not in its place`);
    last.set(actor, number);
  }
  return faults;
};

/** A tail got each matching event once, in order. */
export const tailFaults = (
  name: string,
  tail: ResumingTail,
  events: readonly EventView[],
  wants: (event: EventView) => boolean,
): readonly string[] => {
  const last = Number(events.at(-1)?.id);
  const seen = tail.seen.filter((id) => id <= last);
  const expected = events.filter(wants).map(({ id }) => Number(id));
  return [...tail.faults.map((fault) => `${name}: ${fault}`), ...difference(name, seen, expected)];
};

/**
 * Every event became one execution of the linked actor, in the order of the events. The recorder ran each once, in that
 * order.
 */
export const linkFaults = async (
  daemon: BuiltDaemon,
  { emitters, runners, shelves, recorder, recorded }: EventActors,
  events: readonly EventView[],
): Promise<readonly string[]> => {
  const faults: string[] = [];
  const sources = new Set([...emitters, ...runners]);
  for (const { id, actor_id: actor, _svc_link: link } of events)
    if (sources.has(actor) === (link === '')) faults.push(`event ${id} of ${actor} went along "${link}"`);
  for (const linked of [...shelves, recorder]) {
    const expected = events.filter(({ _svc_link: link }) => link === linked).map(({ deliveries }) => deliveries.link);
    const found = (await rowsOf(daemon, linked)).map(({ id }) => id);
    faults.push(...difference(`executions of ${linked}`, found, expected));
  }
  const lines = readFileSync(recorded, 'utf8').split('\n').slice(0, -1);
  const expected = events
    .filter(({ _svc_link: link }) => link === recorder)
    .map((event) => `${event.deliveries.link} ${event.actor_id} ${event.event_type} ${event.execution_id ?? ''}`);
  faults.push(...difference('what the recorder ran', lines, expected));
  return faults;
};

/** Every execution that ran has one event, in the order of the runs, and every acknowledged execution is among them. */
export const executionFaults = async (
  daemon: BuiltDaemon,
  { runners }: EventActors,
  events: readonly EventView[],
  { executions }: Happened,
): Promise<readonly string[]> => {
  const faults: string[] = [];
  const ended = events.filter(({ event_type: type, synthetic }) => type === 'EXECUTION_COMPLETE' && !synthetic);
  for (const runner of runners) {
    const ran = (await rowsOf(daemon, runner)).map(({ id }) => id);
    const reported = ended.filter(({ actor_id: actor }) => actor === runner).map(({ execution_id: id }) => id ?? '');
    faults.push(...difference(`ends of executions of ${runner}`, reported, ran));
    for (const [id, actor] of executions)
      if (actor === runner && !ran.includes(id)) faults.push(`execution ${id} was acknowledged and is lost`);
  }
  return faults;
};

/** The allowed outcomes of a delivery besides UNKNOWN, by the start of the path of its webhook. */
const outcomes: Readonly<Record<string, readonly string[]>> = {
  quick: ['DELIVERED 200'],
  slow: ['DELIVERED 200'],
  refuse: ['FAILED 500'],
  cut: ['FAILED undefined'],
  held: ['DELIVERED 200', 'FAILED undefined', 'DROPPED undefined'],
};

/**
 * Every event has one delivery that has ended with an allowed outcome. The receiver got no delivery twice or out of
 * order.
 */
export const webhookFaults = (
  { emitters, runners }: EventActors,
  events: readonly EventView[],
  deliveries: readonly Delivery[],
  arrivals: readonly Arrival[],
): readonly string[] => {
  const faults: string[] = [];
  const sources = new Set([...emitters, ...runners]);
  const due = events.filter(({ actor_id: actor }) => sources.has(actor));
  const pair = (event: string, delivery: string | null): string => `${event} ${delivery}`;
  faults.push(
    ...difference(
      'deliveries',
      deliveries.map(({ eventId, id }) => pair(eventId, id)),
      due.map(({ id, deliveries: { webhook } }) => pair(id, webhook)),
    ),
  );
  const arrived = new Map<string, Arrival>();
  const last = new Map<string, number>();
  for (const arrival of arrivals) {
    const { path, event, delivery, atOnce } = arrival;
    if (arrived.has(delivery)) faults.push(`${path} got ${delivery} twice`);
    if (event <= (last.get(path) ?? 0)) faults.push(`${path} got event ${event} behind ${last.get(path)}`);
    if (atOnce > 1) faults.push(`${path} had ${atOnce} requests at once`);
    arrived.set(delivery, arrival);
    last.set(path, event);
  }
  for (const { id, url, eventId, actorId, status, httpStatus, error } of deliveries) {
    const { pathname } = new URL(url);
    const arrival = arrived.get(id);
    const words = `delivery ${id} of event ${eventId} to ${pathname} is ${status} ${httpStatus}`;
    const mayBe = outcomes[pathname.split('/')[1] ?? ''] ?? [];
    if (status !== 'UNKNOWN' && !mayBe.includes(`${status} ${httpStatus}`)) faults.push(`${words}: ${error}`);
    if ((status === 'DELIVERED') === (error !== undefined)) faults.push(`${words}, its error is ${error}`);
    if (status === 'DROPPED' ? arrival !== undefined : arrival === undefined && status !== 'UNKNOWN')
      faults.push(`${words}, and ${arrival === undefined ? 'never came' : 'came'}`);
    if (arrival && pair(arrival.actor, `${arrival.event} ${arrival.path}`) !== pair(actorId, `${eventId} ${pathname}`))
      faults.push(`${words}, and came as event ${arrival.event} of ${arrival.actor} to ${arrival.path}`);
    arrived.delete(id);
  }
  for (const { delivery, path } of arrived.values()) faults.push(`${path} got ${delivery}, which is not listed`);
  return faults;
};
