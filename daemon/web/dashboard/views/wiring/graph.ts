// The graph of actors, links and webhooks, made from the records of the service.
import type { Answer } from '../../api/routes.ts';
import { hasWords } from '../../parts/search/has-words.ts';
import { shownUrl } from '../../parts/text.ts';

type Actor = Answer<'GET /actors/v2/:actorId'>;

export type WiredActor = Pick<
  Actor,
  'id' | 'name' | 'status' | 'link' | 'webhook' | 'aliases' | 'linkedActor' | 'linkProblem' | 'webhookProblem'
>;

/** `address`: the receiver of a webhook. `unknown`: the actor of a link that does not exist or that the caller may not read. */
export interface WireNode {
  readonly id: string;
  readonly kind: 'actor' | 'address' | 'unknown';
  readonly label: string;
  readonly status?: string;
  readonly aliases: readonly string[];
}

export interface Edge {
  /** The kind and the actor that sends: an actor has at most one edge of each kind. */
  readonly id: string;
  readonly kind: 'link' | 'webhook';
  readonly from: string;
  readonly to: string;
  readonly alias?: string;
  /** Why events are not sent along the link, or why the last delivery to the webhook failed. */
  readonly problem?: string;
}

export interface Wiring {
  readonly nodes: ReadonlyMap<string, WireNode>;
  readonly edges: readonly Edge[];
}

export interface Wanted {
  readonly q: string;
  /** Id of an actor. Empty: all. */
  readonly actor: string;
  /** True to include actors without edges. */
  readonly all: boolean;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** The id or alias of the actor that a URL sends messages to, if the URL leads to this service. */
const actorOf = (url: string, origin: string): string | undefined => {
  if (!URL.canParse(url)) return undefined;
  const [to, own] = [new URL(url), new URL(origin)];
  const isOwn =
    to.origin === own.origin ||
    (to.protocol === own.protocol && to.port === own.port && LOOPBACK.test(to.hostname) && LOOPBACK.test(own.hostname));
  const name = isOwn ? /^\/actors\/v2\/([^/]+)\/messages\/?$/.exec(to.pathname)?.[1] : undefined;
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
};

export const wiringOf = (actors: readonly WiredActor[], origin: string): Wiring => {
  const nodes = new Map<string, WireNode>();
  const ids = new Map<string, string>();
  for (const { id, aliases = [] } of actors) for (const alias of aliases) ids.set(alias, id);
  // An id takes precedence over an alias.
  for (const { id, name, status, aliases = [] } of actors) {
    ids.set(id, id);
    nodes.set(id, { id, kind: 'actor', label: name || id, status, aliases });
  }
  const other = (kind: 'address' | 'unknown', label: string, id = `${kind}:${label}`): string => {
    if (!nodes.has(id)) nodes.set(id, { id, kind, label, aliases: [] });
    return id;
  };
  const edges = actors.flatMap(({ id, link, webhook, linkedActor, linkProblem, webhookProblem }): readonly Edge[] => {
    const linked = linkedActor ?? ids.get(link);
    const called = webhook === '' ? undefined : actorOf(webhook, origin);
    const linkEdge = (): Edge => ({
      id: `link:${id}`,
      kind: 'link',
      from: id,
      to: linked === undefined ? other('unknown', link) : nodes.has(linked) ? linked : other('unknown', linked, linked),
      ...(linked !== undefined && linked !== link && { alias: link }),
      problem: linkProblem,
    });
    const webhookEdge = (): Edge => ({
      id: `webhook:${id}`,
      kind: 'webhook',
      from: id,
      to: ids.get(called ?? '') ?? other('address', shownUrl(webhook)),
      ...(webhookProblem !== undefined && { problem: webhookProblem }),
    });
    return [...(link === '' ? [] : [linkEdge()]), ...(webhook === '' ? [] : [webhookEdge()])];
  });
  return { nodes, edges };
};

/** The ids of the nodes that events from one node can reach, and of those whose events can reach it. */
const around = ({ nodes, edges }: Wiring, start: string): ReadonlySet<string> => {
  const next = new Map<string, string[]>();
  const add = (from: string, to: string): void => void (next.get(from) ?? next.set(from, []).get(from))?.push(to);
  for (const { from, to } of edges) {
    add(from, to);
    // Two actors that only share the URL of a webhook are not connected.
    if (nodes.get(to)?.kind !== 'address') add(to, from);
  }
  const reached = new Set([start]);
  for (const id of reached) for (const each of next.get(id) ?? []) reached.add(each);
  return reached;
};

const textOf = (node: WireNode | undefined): readonly (string | undefined)[] =>
  node === undefined ? [] : [node.label, node.id, node.status, ...node.aliases];

/**
 * The part of the graph that matches the filters. An edge is included if every search term occurs in it or in one of
 * its ends.
 */
export const narrowed = (wiring: Wiring, { q, actor, all }: Wanted): Wiring => {
  const { nodes, edges } = wiring;
  const matches = (texts: readonly (string | undefined)[]): boolean => hasWords(texts, q);
  const reached = actor === '' ? undefined : around(wiring, actor);
  const kept = edges.filter(
    ({ from, to, kind, alias, problem }) =>
      (reached === undefined || (reached.has(from) && reached.has(to))) &&
      matches([...textOf(nodes.get(from)), ...textOf(nodes.get(to)), kind, alias, problem]),
  );
  const ends = new Set(kept.flatMap(({ from, to }) => [from, to]));
  const isLeft = (node: WireNode): boolean =>
    ends.has(node.id) || node.id === actor || (all && actor === '' && matches(textOf(node)));
  return { nodes: new Map([...nodes].filter(([, node]) => isLeft(node))), edges: kept };
};
