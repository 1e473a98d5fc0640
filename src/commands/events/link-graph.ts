// Builds and draws the graph of actors, links, webhooks and schedules. Pure functions.
import { formatStatus } from '../../contract/outcome.ts';

export interface WiredActor {
  readonly id: string;
  readonly name: string;
  /** Id of the actor that its link points to; absent if the link points to no actor. */
  readonly out?: string;
  readonly link?: string;
  readonly problem?: string;
  readonly webhook?: string;
  readonly webhookProblem?: string;
  /** The schedule, if there is one and it is on. */
  readonly cron?: string;
}

export interface GraphNode {
  readonly id: string;
  readonly kind: 'actor' | 'webhook' | 'cron' | 'missing';
  readonly label: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'link' | 'webhook' | 'cron';
  readonly problem?: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A URL without its secret parts: the query, and segments of the path that are as long as a key. */
export const shownUrl = (url: string): string => {
  const [, origin = '', path = ''] = /^(\w+:\/\/[^/?#]*)(.*)$/s.exec(url) ?? [];
  return origin === '' ? url : origin + path.replace(/\?.*$/s, '?…').replace(/[^/?]{16,}/g, '…');
};

/** The outcome of a delivery, with the code of the response once: `delivered 204`, `failed 503`. */
export const deliveryOutcome = ({
  status,
  httpStatus,
  error,
}: {
  readonly status: string;
  readonly httpStatus?: number | undefined;
  readonly error?: string | undefined;
}): string =>
  [formatStatus({ status }), error?.replace(/^the receiver responded with (?=\d)/, '') ?? httpStatus]
    .filter((part) => part !== undefined)
    .join(' ');

const edgesOf = ({ id, out, link, problem, webhook, webhookProblem, cron }: WiredActor): readonly GraphEdge[] => [
  ...(cron === undefined ? [] : [{ from: `cron:${id}`, to: id, kind: 'cron' as const }]),
  ...(webhook === undefined
    ? []
    : [
        {
          from: id,
          to: `webhook:${shownUrl(webhook)}`,
          kind: 'webhook' as const,
          ...(webhookProblem !== undefined && { problem: webhookProblem }),
        },
      ]),
  ...(link === undefined
    ? []
    : [{ from: id, to: out ?? `missing:${link}`, kind: 'link' as const, ...(problem !== undefined && { problem }) }]),
];

const nodesOf = ({ id, name, link, out, webhook, cron }: WiredActor): readonly GraphNode[] => [
  { id, kind: 'actor', label: name || id },
  ...(cron === undefined ? [] : [{ id: `cron:${id}`, kind: 'cron' as const, label: cron }]),
  ...(webhook === undefined
    ? []
    : [{ id: `webhook:${shownUrl(webhook)}`, kind: 'webhook' as const, label: shownUrl(webhook) }]),
  ...(link === undefined || out !== undefined
    ? []
    : [{ id: `missing:${link}`, kind: 'missing' as const, label: link }]),
];

const unique = (nodes: readonly GraphNode[]): readonly GraphNode[] => [
  ...new Map(nodes.map((node) => [node.id, node])).values(),
];

const around = ({ nodes, edges }: Graph, start: string): Graph => {
  const reached = new Set([start]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const { from, to } of edges) {
      // Two actors that only share a webhook URL are not connected.
      if (reached.has(from)) reached.add(to);
      if (reached.has(to) && !to.startsWith('webhook:')) reached.add(from);
    }
  }
  return {
    nodes: nodes.filter(({ id }) => reached.has(id)),
    edges: edges.filter(({ from, to }) => reached.has(from) && reached.has(to)),
  };
};

/**
 * Actors without edges are left out. @param center id of an actor; if given, the graph has only this actor and the
 * nodes connected to it
 */
export const graphOf = (actors: readonly WiredActor[], center?: string): Graph => {
  const edges = actors.flatMap(edgesOf);
  const known = new Set(actors.map(({ id }) => id));
  // A link may point to an actor that the list does not show.
  const beyond = actors.flatMap(({ out }): readonly GraphNode[] =>
    out === undefined || known.has(out) ? [] : [{ id: out, kind: 'actor', label: out }],
  );
  const nodes = unique([...actors.flatMap(nodesOf), ...beyond]);
  if (center !== undefined) return around({ nodes, edges }, center);
  const touched = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return { nodes: nodes.filter(({ id }) => touched.has(id)), edges };
};

const words = { link: '', webhook: 'webhook ', cron: 'cron ' } as const;

/**
 * Draws a tree for each actor without incoming links. A node that is already in the drawing is shown as a name
 * only.
 */
const drawTree = ({ nodes, edges }: Graph): string => {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const labelOf = (id: string): string => labels.get(id) ?? id;
  const drawn = new Set<string>();
  const lines: string[] = [];
  const below = (id: string): readonly { readonly edge: GraphEdge; readonly end: string }[] =>
    edges.flatMap((edge) => {
      if (edge.kind === 'cron') return edge.to === id ? [{ edge, end: edge.from }] : [];
      return edge.from === id ? [{ edge, end: edge.to }] : [];
    });
  const draw = (id: string, indent: string): void => {
    drawn.add(id);
    const children = below(id);
    children.forEach(({ edge, end }, index) => {
      const last = index === children.length - 1;
      const again = edge.kind === 'link' && drawn.has(end);
      const side = edge.problem !== undefined ? `  (${edge.problem})` : again ? '  (see above)' : '';
      lines.push(`${indent}${last ? '└─' : '├─'} ${words[edge.kind]}${labelOf(end)}${side}`);
      if (edge.kind === 'link' && !again) draw(end, `${indent}${last ? '   ' : '│  '}`);
    });
  };
  const linked = new Set(edges.filter(({ kind }) => kind === 'link').map(({ to }) => to));
  const actors = nodes.filter(({ kind }) => kind === 'actor');
  for (const { id } of actors.filter((node) => !linked.has(node.id))) {
    lines.push(labelOf(id));
    draw(id, '');
  }
  return lines.map((line) => `${line}\n`).join('');
};

const shapes: Readonly<Record<GraphNode['kind'], string>> = {
  actor: 'box',
  webhook: 'note',
  cron: 'ellipse',
  missing: 'box, style=dashed',
};

/** Returns short node names for the drawing, because ids contain characters that dot and mermaid reject. */
const numbered = ({ nodes }: Graph): ((id: string) => string) => {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  return (id) => names.get(id) ?? 'n';
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const drawDot = (graph: Graph): string => {
  const nameOf = numbered(graph);
  const quoted = (text: string): string => `"${oneLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const nodes = graph.nodes.map(
    ({ id, kind, label }) => `  ${nameOf(id)} [label=${quoted(label)}, shape=${shapes[kind]}];`,
  );
  const edges = graph.edges.map(({ from, to, kind, problem }) => {
    const how = [
      ...(kind === 'link' ? [] : [`label=${quoted(kind)}`]),
      ...(problem === undefined ? [] : ['style=dashed', `tooltip=${quoted(problem)}`]),
    ].join(', ');
    return `  ${nameOf(from)} -> ${nameOf(to)}${how === '' ? '' : ` [${how}]`};`;
  });
  return ['digraph actors {', '  rankdir=LR;', ...nodes, ...edges, '}', ''].join('\n');
};

const brackets: Readonly<Record<GraphNode['kind'], readonly [string, string]>> = {
  actor: ['[', ']'],
  webhook: ['>', ']'],
  cron: ['([', '])'],
  missing: ['[', ']'],
};

const drawMermaid = (graph: Graph): string => {
  const nameOf = numbered(graph);
  const quoted = (text: string): string =>
    `"${oneLine(text).replaceAll('#', '#35;').replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;')}"`;
  const nodes = graph.nodes.map(({ id, kind, label }) => {
    const [open, close] = brackets[kind];
    return `  ${nameOf(id)}${open}${quoted(label)}${close}`;
  });
  const edges = graph.edges.map(({ from, to, kind, problem }) => {
    const arrow = problem === undefined ? '-->' : '-.->';
    return `  ${nameOf(from)} ${arrow}${kind === 'link' ? '' : `|${kind}|`} ${nameOf(to)}`;
  });
  return ['graph LR', ...nodes, ...edges, ''].join('\n');
};

/** The drawings of a graph. Each returns text that ends with a line end, or empty text. */
export const drawings = { tree: drawTree, dot: drawDot, mermaid: drawMermaid } as const;
