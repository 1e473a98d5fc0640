// Places the nodes and edges of the graph. Dagre lays out each connected part, and the parts are put in rows.
import { Graph, layout } from '@dagrejs/dagre';
import type { Edge, WireNode, Wiring } from './graph.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly points: readonly Point[];
  readonly label: Point;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Box>;
  readonly edges: ReadonlyMap<string, Line>;
}

/** Sizes in pixels, which must match the stylesheet. */
export interface Sizes {
  readonly node: number;
  /** Space between two columns, on each side of the labels. */
  readonly gap: number;
}

export const WIDE: Sizes = { node: 172, gap: 34 };
export const NARROW: Sizes = { node: 136, gap: 14 };

const NODE_HEIGHT = 48;
const ALIASES_HEIGHT = 18;
const LABEL = { width: 44, height: 20 };
const ALIAS_LABEL = 104;
const PART_GAP = 32;
/** How far the line of a self-link extends from its actor. */
const LOOP = 26;

/** Maximum number of drawn nodes. Dagre would take too long for more. */
export const MOST_NODES = 400;

const NOWHERE: Box = { x: 0, y: 0, width: 0, height: 0 };

const heightOf = (aliases: readonly string[]): number => NODE_HEIGHT + (aliases.length > 0 ? ALIASES_HEIGHT : 0);

export const partsOf = ({ nodes, edges }: Wiring): readonly Wiring[] => {
  const parent = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let up = parent.get(root); up !== undefined; up = parent.get(root)) root = up;
    // Every node visited on the way now points directly to the root.
    for (let at = id; at !== root; ) {
      const up = parent.get(at) ?? root;
      parent.set(at, root);
      at = up;
    }
    return root;
  };
  for (const { from, to } of edges) {
    const [one, other] = [rootOf(from), rootOf(to)];
    if (one !== other) parent.set(one, other);
  }
  const parts = new Map<string, { readonly nodes: Map<string, WireNode>; readonly edges: Edge[] }>();
  for (const [id, node] of nodes) {
    const root = rootOf(id);
    const part = parts.get(root) ?? { nodes: new Map(), edges: [] };
    part.nodes.set(id, node);
    parts.set(root, part);
  }
  for (const edge of edges) parts.get(rootOf(edge.from))?.edges.push(edge);
  return [...parts.values()];
};

/** The line of an edge between two nodes: from side to side, through the points that dagre found between them. */
const lineBetween = (from: Box, to: Box, { points, x, y }: Point & Pick<Line, 'points'>): Line => {
  const isForward = to.x >= from.x;
  const sideOf = (box: Box, isRight: boolean): Point => ({
    x: box.x + (isRight ? box.width : 0),
    y: box.y + box.height / 2,
  });
  return { points: [sideOf(from, isForward), ...points.slice(1, -1), sideOf(to, !isForward)], label: { x, y } };
};

/** Space between two ends of lines on one side of a node, if there is room. */
const END_GAP = 12;

interface End {
  readonly line: Point[];
  /** Position of the end, and of its neighbour, in the line. */
  readonly at: number;
  readonly next: number;
}

/** Moves the ends that several lines have at the middle of one side of a node apart, in the order of their lines. */
const spread = (lines: readonly Line[], heights: ReadonlyMap<string, number>): readonly Line[] => {
  const sides = new Map<string, End[]>();
  const copies = lines.map(({ points }) => [...points]);
  for (const line of copies) {
    for (const [at, next] of [
      [0, 1],
      [line.length - 1, line.length - 2],
    ] as const) {
      const { x, y } = line[at] ?? NOWHERE;
      const side = `${x} ${y}`;
      const ends = sides.get(side) ?? [];
      ends.push({ line, at, next });
      sides.set(side, ends);
    }
  }
  const yOf = ({ line, next }: End): number => line[next]?.y ?? 0;
  for (const [side, ends] of sides) {
    const room = (heights.get(side) ?? 0) - END_GAP;
    const gap = Math.min(END_GAP, room / Math.max(1, ends.length - 1));
    ends
      .toSorted((one, other) => yOf(one) - yOf(other))
      .forEach(({ line, at }, place) => {
        const { x, y } = line[at] ?? NOWHERE;
        line[at] = { x, y: y + (place - (ends.length - 1) / 2) * gap };
      });
  }
  return lines.map((line, index) => ({ ...line, points: copies[index] ?? line.points }));
};

const loopAt = ({ x, y, width, height }: Box): Line => {
  const [right, middle] = [x + width, y + height / 2];
  const label = { x: right + LOOP, y: middle };
  return {
    points: [{ x: right, y: middle - 12 }, label, { x: right, y: middle + 12 }],
    label,
  };
};

const loopRoom = (edges: readonly Edge[]): number =>
  edges.some(({ from, to }) => from === to) ? LOOP + LABEL.width / 2 : 0;

/** Lays out one connected part of the graph. Nodes are numbered for dagre, because an id may be any text. */
const laidOut = ({ nodes, edges }: Wiring, { node: width, gap }: Sizes): Placed => {
  const names = new Map([...nodes.keys()].map((id, index) => [id, String(index)]));
  const graph = new Graph({ multigraph: true });
  // The default ranker takes several times as long if many actors are linked to one.
  graph.setGraph({ rankdir: 'LR', nodesep: 14, edgesep: 10, ranksep: 2 * gap, ranker: 'tight-tree' });
  for (const [id, { aliases }] of nodes) graph.setNode(names.get(id) ?? '', { width, height: heightOf(aliases) });
  for (const { id, from, to, alias } of edges) {
    if (from === to) continue;
    const label = { ...LABEL, ...(alias !== undefined && { width: ALIAS_LABEL }), labelpos: 'c' };
    graph.setEdge(names.get(from) ?? '', names.get(to) ?? '', label, id);
  }
  layout(graph);
  const boxes = new Map(
    [...names].map(([id, name]): [string, Box] => {
      const { x, y, width, height } = graph.node(name) as Box;
      return [id, { x: x - width / 2, y: y - height / 2, width, height }];
    }),
  );
  const lines = edges.map(({ id, from, to }): [string, Line] => {
    const [box, other] = [boxes.get(from) ?? NOWHERE, boxes.get(to) ?? NOWHERE];
    if (from === to) return [id, loopAt(box)];
    const found = graph.edge({ v: names.get(from) ?? '', w: names.get(to) ?? '', name: id }) as Point & Line;
    return [id, lineBetween(box, other, found)];
  });
  const heights = new Map(
    [...boxes.values()].flatMap(({ x, y, width, height }) =>
      [x, x + width].map((side): [string, number] => [`${side} ${y + height / 2}`, height]),
    ),
  );
  const spreadLines = spread(
    lines.map(([, line]) => line),
    heights,
  );
  const { width: right = 0, height: bottom = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: right + loopRoom(edges),
    height: bottom,
    nodes: boxes,
    edges: new Map(lines.map(([id, line], at) => [id, spreadLines[at] ?? line])),
  };
};

/** Lays out a part that is a single node. There may be many such parts, so dagre is not used for them. */
const alone = ({ nodes, edges }: Wiring, { node: width }: Sizes): Placed => {
  const [[id, { aliases }] = ['', { aliases: [] }]] = nodes;
  const box = { x: 0, y: 0, width, height: heightOf(aliases) };
  return {
    width: width + loopRoom(edges),
    height: box.height,
    nodes: new Map([[id, box]]),
    edges: new Map(edges.map((edge) => [edge.id, loopAt(box)])),
  };
};

const moved = ({ x, y }: Point, by: Point): Point => ({ x: x + by.x, y: y + by.y });

/** Puts laid-out parts in rows that are at most as wide as `width` or the widest part, larger parts first. */
export const inRows = (parts: readonly Placed[], width: number): Placed => {
  const nodes = new Map<string, Box>();
  const edges = new Map<string, Line>();
  let [x, y, rowHeight, right] = [0, 0, 0, 0];
  const most = Math.max(width, ...parts.map((part) => part.width));
  const bySize = parts.toSorted((one, other) => other.height - one.height || other.width - one.width);
  for (const part of bySize) {
    if (x > 0 && x + part.width > most) {
      y += rowHeight + PART_GAP;
      x = 0;
      rowHeight = 0;
    }
    const by = { x, y };
    for (const [id, box] of part.nodes) nodes.set(id, { ...box, ...moved(box, by) });
    for (const [id, { points, label }] of part.edges)
      edges.set(id, { points: points.map((point) => moved(point, by)), label: moved(label, by) });
    x += part.width + PART_GAP;
    right = Math.max(right, x - PART_GAP);
    rowHeight = Math.max(rowHeight, part.height);
  }
  return { width: right, height: y + rowHeight, nodes, edges };
};

/** Makes a layout function that lays out a part of the graph again only if that part has changed. */
export const createLayout = () => {
  let last = new Map<string, Placed>();
  return (wiring: Wiring, sizes: Sizes): readonly Placed[] => {
    const next = new Map<string, Placed>();
    for (const part of partsOf(wiring)) {
      const key = structureOf(part, sizes);
      next.set(key, last.get(key) ?? (part.nodes.size === 1 ? alone : laidOut)(part, sizes));
    }
    last = next;
    return [...next.values()];
  };
};

/** A key that is equal for two graphs drawn with the same lines. An actor's state does not affect the lines. */
export const structureOf = ({ nodes, edges }: Wiring, { node }: Sizes): string =>
  JSON.stringify([
    node,
    [...nodes].map(([id, { aliases }]) => [id, aliases.length > 0]),
    edges.map(({ id, to, alias }) => [id, to, alias !== undefined]),
  ]);
