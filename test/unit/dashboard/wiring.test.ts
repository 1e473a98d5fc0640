// The graph of the dashboard: its nodes and edges, what flowed along them, and where they are drawn.
import { describe, expect, it } from 'vitest';
import { createFlows, flowOf, formatUnlinked } from '../../../daemon/web/dashboard/views/wiring/flows.ts';
import { stopAt, stopsOf, strokeOf } from '../../../daemon/web/dashboard/views/wiring/geometry.ts';
import { narrowed, type WiredActor, wiringOf } from '../../../daemon/web/dashboard/views/wiring/graph.ts';
import { createLayout, inRows, WIDE } from '../../../daemon/web/dashboard/views/wiring/layout.ts';
import { beginning, fitting, limited } from '../../../daemon/web/dashboard/views/wiring/zoom.ts';
import { WEBHOOK_TEST } from '../../../src/contract/actors/deliveries.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';

const ORIGIN = 'http://127.0.0.1:8722';
const actor = (id: string, fields: Partial<WiredActor> = {}): WiredActor => ({
  id,
  name: '',
  status: 'READY',
  link: '',
  webhook: '',
  aliases: [],
  ...fields,
});
/** An actor that is linked to another one, as the service lists it. */
const linked = (id: string, to: string, fields: Partial<WiredActor> = {}): WiredActor =>
  actor(id, { link: to, linkedActor: to, ...fields });
const edgesOf = (...actors: WiredActor[]) => wiringOf(actors, ORIGIN).edges;

describe('the edges', () => {
  it('are links and webhooks, each named by its kind and sender', () => {
    const hook = 'https://example.org/hook?key=secret';
    const { nodes, edges } = wiringOf([linked('A', 'B', { webhook: hook }), actor('B')], ORIGIN);
    expect(edges).toEqual([
      { id: 'link:A', kind: 'link', from: 'A', to: 'B' },
      { id: 'webhook:A', kind: 'webhook', from: 'A', to: 'address:https://example.org/hook?…' },
    ]);
    expect(JSON.stringify([...nodes])).not.toContain('secret');
  });

  it('of a webhook whose last delivery failed have the reason', () => {
    const webhookProblem = 'the last delivery failed: the receiver responded with 500';
    expect(edgesOf(actor('A', { webhook: 'https://example.org/', webhookProblem }))[0]).toMatchObject({
      kind: 'webhook',
      problem: webhookProblem,
    });
  });

  it('of a link by alias name the alias', () => {
    expect(edgesOf(actor('A', { link: 'images', linkedActor: 'B' }), actor('B', { aliases: ['images'] }))).toEqual([
      { id: 'link:A', kind: 'link', from: 'A', to: 'B', alias: 'images' },
    ]);
  });

  it.each<[string, Partial<WiredActor>, string, string]>([
    ['is gone', { link: 'gone', linkProblem: 'there is no actor "gone"' }, 'unknown:gone', 'unknown'],
    ['is not readable', { link: 'X', linkedActor: 'X' }, 'X', 'unknown'],
    ['is readable, but refuses', { link: 'B', linkProblem: 'no longer holds EXECUTE' }, 'B', 'actor'],
    ['is an alias of a readable one that refuses', { link: 'bee', linkProblem: 'refused' }, 'B', 'actor'],
    ['has a name of the prototype', { link: '__proto__', linkProblem: 'gone' }, 'unknown:__proto__', 'unknown'],
    ['is the actor itself', { link: 'A', linkProblem: 'the link leads to the actor itself' }, 'A', 'actor'],
  ])('of a link whose target %s lead to %s', (_, fields, to, kind) => {
    const { nodes, edges } = wiringOf([actor('A', fields), actor('B', { aliases: ['bee'] })], ORIGIN);
    expect([edges[0]?.to, edges[0]?.problem, nodes.get(to)?.kind]).toEqual([to, fields.linkProblem, kind]);
  });

  it.each([
    [`${ORIGIN}/actors/v2/B/messages?x-nonce=secret`, 'B'],
    ['http://localhost:8722/actors/v2/bee/messages', 'B'],
    ['http://127.0.0.1:9/actors/v2/B/messages', 'address:http://127.0.0.1:9/actors/v2/B/messages'],
    ['https://127.0.0.1:8722/actors/v2/B/messages', 'address:https://127.0.0.1:8722/actors/v2/B/messages'],
    [`${ORIGIN}/actors/v2/nosuch/messages`, `address:${ORIGIN}/actors/v2/nosuch/messages`],
    [`${ORIGIN}/actors/v2/%E0%A4%A/messages`, `address:${ORIGIN}/actors/v2/%E0%A4%A/messages`],
    ['<img src=x onerror=alert(1)>', 'address:<img src=x onerror=alert(1)>'],
  ])('of the webhook %s lead to %s', (webhook, to) => {
    expect(edgesOf(actor('A', { webhook }), actor('B', { aliases: ['bee'] }))[0]?.to).toBe(to);
  });
});

describe('the filters', () => {
  const wiring = wiringOf(
    [
      linked('A', 'B', { name: 'clean', webhook: 'http://127.0.0.1:9/x' }),
      actor('B', { name: 'report', status: 'ERROR', aliases: ['weekly'] }),
      linked('C', 'D', { webhook: 'http://127.0.0.1:9/x' }),
      actor('D'),
      actor('E', { name: 'alone' }),
    ],
    ORIGIN,
  );
  it.each([
    [{ q: '' }, ['link:A', 'webhook:A', 'link:C', 'webhook:C'], 5],
    [{ q: '', all: true }, ['link:A', 'webhook:A', 'link:C', 'webhook:C'], 6],
    [{ q: 'WEEKLY error' }, ['link:A'], 2],
    [{ q: 'webhook clean' }, ['webhook:A'], 2],
    [{ q: 'alone', all: true }, [], 1],
    [{ q: 'alone' }, [], 0],
    [{ q: '', actor: 'B' }, ['link:A', 'webhook:A'], 3],
    [{ q: '', actor: 'E', all: true }, [], 1],
    [{ q: '', actor: 'nosuch' }, [], 0],
  ])('%j leave %j and %d nodes', (filters, left, count) => {
    const { nodes, edges } = narrowed(wiring, { actor: '', all: false, ...filters });
    expect([edges.map(({ id }) => id), nodes.size]).toEqual([left, count]);
  });
});

describe('the flow of a minute', () => {
  const [link, webhook] = edgesOf(linked('A', 'B', { webhook: 'http://127.0.0.1:9/x' }), actor('B')) as [
    ReturnType<typeof edgesOf>[number],
    ReturnType<typeof edgesOf>[number],
  ];
  const event = (id: string, at: number, fields: Partial<EventView> = {}): EventView => ({
    id,
    actor_id: 'A',
    tenant_id: 'DEV',
    actor_dbid: 'DEV_A',
    event_type: 'EXECUTION_COMPLETE',
    event_time_utc: at / 1_000,
    event_time_display: '',
    _svc_link: 'B',
    _svc_username: 'ana',
    deliveries: { link: 'E1', webhook: null },
    ...fields,
  });

  it('counts each event once, by its outcome', () => {
    const flows = createFlows();
    const both = event('2', 10_000, { deliveries: { link: 'E2', webhook: 'D2' } });
    flows.add([event('1', 10_000), both], 20_000);
    flows.add([both, event('3', 11_000, { deliveries: { link: null, webhook: null }, linkProblem: 'gone' })], 20_000);
    const counts = flows.at(20_000);
    expect([flowOf(link, counts), flowOf(webhook, counts)]).toEqual([
      { sent: 2, lost: 1 },
      { sent: 1, lost: 0 },
    ]);
  });

  it('drops events after a minute, and accepts no older ones', () => {
    const flows = createFlows();
    flows.add([event('1', 0), event('2', 30_000)], 60_000);
    expect(flowOf(link, flows.at(60_000)).sent).toBe(1);
    expect(flows.at(90_000).size).toBe(0);
    flows.add([event('2', 30_000)], 90_000);
    expect(flows.at(90_000).size).toBe(0);
  });

  it('does not count events for an earlier target of the link', () => {
    const flows = createFlows();
    flows.add([event('1', 0, { _svc_link: 'C' })], 1);
    expect(flowOf(link, flows.at(1)).sent).toBe(0);
  });

  it('describes events that did not reach the link', () => {
    expect(formatUnlinked({ event_type: WEBHOOK_TEST })).toBe('test of the webhook');
    expect(formatUnlinked(event('1', 0))).toBe('before the link');
  });
});

describe('the arrow keys', () => {
  const wiring = wiringOf([linked('A', 'B'), actor('B'), linked('C', 'B')], ORIGIN);
  const placed = inRows(createLayout()(wiring, WIDE), 10_000);
  const stops = stopsOf(placed, () => true);
  it('go from an actor along its edge to the next actor, and back', () => {
    const right = stopAt(stops, 'A', 'ArrowRight')?.id ?? '';
    expect(right).toBe('link:A');
    expect(stopAt(stops, right, 'ArrowRight')?.id).toBe('B');
    expect(stopAt(stops, right, 'ArrowLeft')?.id).toBe('A');
    expect([stopAt(stops, 'A', 'ArrowDown')?.id, stopAt(stops, 'A', 'ArrowUp')?.id]).toContain('C');
  });

  it.each([
    ['A', 'ArrowLeft'],
    ['A', 'Enter'],
    ['A', 'toString'],
    ['nosuch', 'ArrowLeft'],
  ])('do not move from %s by %s', (from, key) => {
    expect(stopAt(stops, from, key)).toBeUndefined();
  });
});

it('a line grows with its events, up to a limit', () => {
  expect([strokeOf(0), strokeOf(1), strokeOf(3), strokeOf(1_000_000)]).toEqual([1.3, 1.8, 2.3, 4.3]);
});

it('a graph is shown entirely or at a readable size, and never enlarged', () => {
  const box = { width: 800, height: 400 };
  expect([fitting({ width: 400, height: 100 }, box), fitting({ width: 800, height: 800 }, box)]).toEqual([1, 0.5]);
  expect([beginning({ width: 900, height: 9_000 }, box), beginning({ width: 9_000, height: 1 }, box)]).toEqual([
    800 / 900,
    0.85,
  ]);
  expect([limited(0.001), limited(99)]).toEqual([0.1, 2]);
});
