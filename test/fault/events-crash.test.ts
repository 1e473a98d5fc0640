// Events while the daemon is killed with -9: links, webhooks and tails get every event of every actor, in order and
// once.
import { afterEach, expect, it } from 'vitest';
import type { EventView } from '../../src/contract/actors/events.ts';
import { dice, seedOf } from '../support/crash/crash-test.ts';
import {
  allDeliveries,
  allEvents,
  allRan,
  emissionFaults,
  executionFaults,
  linkFaults,
  tailFaults,
  webhookFaults,
} from '../support/crash/event-count.ts';
import { type Arrival, eventActors, killOnce, runEventCrashTest } from '../support/crash/event-crash-test.ts';
import { type ResumingTail, resumingTail } from '../support/crash/resuming-tail.ts';
import { runLines } from '../support/daemon/child-lines.ts';
import { builtDaemon, until } from '../support/daemon/daemon.ts';

const KILLS = 5;
const TAILS = 20;
const EVENTS = 10_000;

const left: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const tidy of left.splice(0).reverse()) await tidy();
});

interface Reader {
  readonly name: string;
  readonly tail: ResumingTail;
  readonly wants: (event: EventView) => boolean;
}

it(`over ${KILLS} kills of the daemon, ${EVENTS} events reach links, webhooks and ${TAILS} tails`, async () => {
  const seed = seedOf(process.env);
  console.log(`events: ACTORCTL_TEST_SEED=${seed}`);
  const random = dice(seed);
  const begun = performance.now();
  const receiver = runLines('crash/webhook-process.ts', []);
  left.push(() => {
    receiver.process.stdin.end();
    return receiver.closed;
  });
  await until(() => receiver.lines().length > 0);
  const webhook = `http://127.0.0.1:${receiver.lines()[0]}`;
  // Events do not expire during the test, so a missing event is a lost one.
  const daemon = builtDaemon({ env: { ACTORCTL_EVENTS_KEPT: '1000000' } });
  left.push(() => daemon.remove());
  await daemon.start();
  const token = await daemon.admit();
  const actors = await eventActors(daemon, webhook);

  const some = [...actors.emitters.slice(0, 5), ...actors.runners.slice(0, 5)];
  const readers = Array.from({ length: TAILS }, (_, at): Reader => {
    const kinds = [
      { name: 'all', query: '', wants: () => true },
      { name: 'all, with disconnects', query: '', hangUpAfter: 250, wants: () => true },
      { name: 'all, slowly', query: '', pauseMs: 20, wants: () => true },
      { name: 'ready', query: '&type=ACTOR_READY', wants: (event: EventView) => event.event_type === 'ACTOR_READY' },
      { name: 'ten', query: `&actorId=${some.join()}`, wants: (event: EventView) => some.includes(event.actor_id) },
    ];
    const { name = '', wants = () => true, query, ...pace } = kinds[at % kinds.length] ?? { query: '' };
    const tail = resumingTail({ baseUrl: daemon.baseUrl, token, query: `after=0${query}`, ...pace });
    left.push(() => tail.close());
    return { name: `tail ${at} (${name})`, tail, wants };
  });

  const happened = await runEventCrashTest(daemon, actors, {
    events: 98,
    eventsOfFirst: 1_150,
    messages: 20,
    kills: KILLS - 1,
    random,
  });
  const emittedAt = performance.now();
  // The last kill comes while the deliveries that waited for the held receiver are being sent.
  receiver.process.stdin.write('go\n');
  await new Promise((resolve) => setTimeout(resolve, random() * 500));
  await killOnce(daemon);

  await allRan(daemon, actors);
  const deliveries = await allDeliveries(daemon);
  const events = await allEvents(daemon);
  const ready = events.findLast(({ event_type: type }) => type === 'ACTOR_READY');
  for (const { tail, wants } of readers) {
    const last = Number(events.findLast(wants)?.id);
    await until(() => (tail.seen.at(-1) ?? 0) >= last);
  }
  const arrivals = receiver
    .lines()
    .slice(1)
    .map((line) => JSON.parse(line) as Arrival);

  const hundred = new Set([...actors.emitters, ...actors.runners]);
  const ofHundred = events.filter(({ actor_id: actor }) => hundred.has(actor));
  const tally: Record<string, number> = {};
  for (const { status } of deliveries) tally[status] = (tally[status] ?? 0) + 1;
  const resumed = readers.reduce((sum, { tail }) => sum + tail.resumed(), 0);
  console.log(
    `events: ${KILLS} kills; ${events.length} events, ${ofHundred.length} of the hundred, ${happened.emitted.size} emitted, ${happened.unknown.size} unanswered, ` +
      `${happened.executions.size} executions sent; deliveries ${JSON.stringify(tally)}; ${resumed} resumptions; ` +
      `${Math.round((emittedAt - begun) / 1_000)} s until all had happened, ${Math.round((performance.now() - begun) / 1_000)} s in all`,
  );
  expect([
    ...emissionFaults(events, happened),
    ...(await executionFaults(daemon, actors, events, happened)),
    ...readers.flatMap(({ name, tail, wants }) => tailFaults(name, tail, events, wants)),
    ...(await linkFaults(daemon, actors, events)),
    ...webhookFaults(actors, events, deliveries, arrivals),
  ]).toEqual([]);
  expect(ofHundred.length).toBeGreaterThanOrEqual(EVENTS);
  expect(new Set(ofHundred.map(({ actor_id: actor }) => actor)).size).toBe(100);
  expect(ready).toBeDefined();
  // Each kill interrupts at least the held delivery. The queue of its receiver is limited, so some deliveries are
  // dropped.
  expect(tally['UNKNOWN']).toBeGreaterThanOrEqual(KILLS - 1);
  expect(tally['DROPPED']).toBeGreaterThan(0);
});
