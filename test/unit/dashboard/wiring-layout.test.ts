// Where the nodes and edges of the graph of the dashboard are drawn.
import { describe, expect, it } from 'vitest';
import { pathOf, tipOf } from '../../../daemon/web/dashboard/views/wiring/geometry.ts';
import { type WiredActor, wiringOf } from '../../../daemon/web/dashboard/views/wiring/graph.ts';
import { createLayout, inRows, partsOf, WIDE } from '../../../daemon/web/dashboard/views/wiring/layout.ts';

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
describe('the layout', () => {
  const placedOf = (...actors: WiredActor[]) => inRows(createLayout()(wiringOf(actors, ORIGIN), WIDE), 10_000);
  const overlaps = (placed: ReturnType<typeof placedOf>): boolean => {
    const boxes = [...placed.nodes.values()];
    return boxes.some((one, at) =>
      boxes
        .slice(at + 1)
        .some(
          (other) =>
            one.x < other.x + other.width &&
            other.x < one.x + one.width &&
            one.y < other.y + other.height &&
            other.y < one.y + one.height,
        ),
    );
  };

  it.each<[string, readonly WiredActor[]]>([
    ['a chain', [linked('A', 'B'), linked('B', 'C'), actor('C')]],
    ['a loop', [linked('A', 'B'), linked('B', 'A')]],
    ['a self-link beside another actor', [linked('A', 'A'), actor('B')]],
    ['a self-link in a chain', [linked('A', 'B'), linked('B', 'B')]],
    ['ids of the prototype', [linked('__proto__', 'constructor'), linked('toString', '__proto__')]],
    ['200 actors that send to one', Array.from({ length: 200 }, (_, at) => linked(`N${at}`, 'N0'))],
    ['actors without edges', Array.from({ length: 200 }, (_, at) => actor(`N${at}`))],
    [
      'a link and a webhook to one actor',
      [linked('A', 'B', { webhook: `${ORIGIN}/actors/v2/B/messages` }), actor('B')],
    ],
  ])('of %s has every node and edge within it, and no nodes over each other', (_, actors) => {
    const wiring = wiringOf(actors, ORIGIN);
    const placed = placedOf(...actors);
    expect([placed.nodes.size, placed.edges.size]).toEqual([wiring.nodes.size, wiring.edges.length]);
    for (const { x, y, width, height } of placed.nodes.values()) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(-0.01);
      expect(x + width).toBeLessThanOrEqual(placed.width + 0.01);
      expect(y + height).toBeLessThanOrEqual(placed.height + 0.01);
    }
    for (const line of placed.edges.values()) {
      expect(`${pathOf(line)} ${tipOf(line)} ${line.label.x} ${line.label.y}`).not.toMatch(/NaN|undefined/);
      expect(line.label.x).toBeLessThanOrEqual(placed.width);
    }
    expect(overlaps(placed)).toBe(false);
  });

  it.each([2, 3, 60])('lets the lines of %d links into one actor end apart, on its side', (count) => {
    const senders = Array.from({ length: count }, (_, at) => linked(`S${at}`, 'T'));
    const placed = placedOf(actor('T'), ...senders);
    const target = placed.nodes.get('T');
    const ends = senders.map(({ id }) => placed.edges.get(`link:${id}`)?.points.at(-1));
    expect(new Set(ends.map((end) => end?.y)).size).toBe(count);
    for (const end of ends) {
      expect(end?.x).toBe(target?.x);
      expect(end?.y).toBeGreaterThan(target?.y ?? 0);
      expect(end?.y).toBeLessThan((target?.y ?? 0) + (target?.height ?? 0));
    }
  });

  it('keeps parts that have not changed', () => {
    const layOut = createLayout();
    const [first] = layOut(wiringOf([linked('A', 'B'), actor('B')], ORIGIN), WIDE);
    const again = layOut(wiringOf([linked('A', 'B', { status: 'ERROR' }), actor('B'), linked('C', 'D')], ORIGIN), WIDE);
    expect(again).toHaveLength(2);
    expect(again.includes(first as (typeof again)[number])).toBe(true);
  });

  it('has rows as wide as the view, or as its widest part', () => {
    const wiring = wiringOf(
      Array.from({ length: 6 }, (_, at) => actor(`N${at}`)),
      ORIGIN,
    );
    expect(partsOf(wiring)).toHaveLength(6);
    const parts = createLayout()(wiring, WIDE);
    expect(inRows(parts, 2 * WIDE.node + 40).width).toBeLessThanOrEqual(2 * WIDE.node + 40);
    expect(inRows(parts, 10).width).toBe(WIDE.node);
    expect(inRows([], 500)).toMatchObject({ width: 0, height: 0 });
  });
});
