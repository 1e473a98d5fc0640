// Rows of the list of actors.
import type { Answer } from '../../api/routes.ts';
import { hasWords } from '../../parts/search/has-words.ts';

export type Actor = Answer<'GET /actors/v2/:actorId'>;

export interface Statistics {
  readonly running: number;
  readonly waiting: number;
  readonly recent: readonly number[];
  /** Executions that ended in the last hour. */
  readonly ended: number;
  readonly failed: number;
}

/** From 0 to 1. Undefined if nothing ended in the last hour. */
const failureRate = (now: Statistics | undefined): number | undefined =>
  now === undefined || now.ended === 0 ? undefined : now.failed / now.ended;

/** `0 %`, `12 %`; a rate above 0 is at least 1 %, and only 1 is 100 %. */
export const formatRate = (now: Statistics | undefined): string => {
  const rate = failureRate(now);
  if (rate === undefined) return '';
  const percent = Math.round(rate * 100);
  return `${rate === 0 || rate === 1 ? percent : Math.min(99, Math.max(1, percent))} %`;
};

type Listed =
  | 'id'
  | 'name'
  | 'status'
  | 'stateless'
  | 'image'
  | 'owner'
  | 'cronSchedule'
  | 'cronOn'
  | 'cronTimeZone'
  | 'lastExecutionTime'
  | 'aliases';

type Listing = Pick<Actor, Listed>;

export interface ActorRow extends Listing {
  readonly now: Statistics | undefined;
  /** How addresses name the actor. */
  readonly address: string;
}

/** True if every word occurs in the name, an alias, the id, the image, the owner or the status. */
export const matches = (
  {
    id,
    name,
    image,
    owner,
    status,
    aliases = [],
  }: Pick<ActorRow, 'id' | 'name' | 'image' | 'owner' | 'status' | 'aliases'>,
  q: string,
): boolean => hasWords([id, name, image, owner, status, ...aliases], q);

/**
 * An image in two parts: what a narrow column may cut, and the last name of the path, which says which image it is.
 * `file:///home/ana/wc` → `/home/ana/` and `wc`
 */
export const imageParts = (image: string): readonly [start: string, end: string] => {
  let shown = image;
  try {
    if (/^file:\/\/\//i.test(image)) shown = decodeURIComponent(image.slice('file://'.length));
  } catch {
    // Shown as it is.
  }
  const cut = shown.replace(/\/+$/, '').lastIndexOf('/') + 1;
  return [shown.slice(0, cut), shown.slice(cut)];
};

/** Orders of the list, with the words of the selection. */
export const orders = {
  newest: 'Newest first',
  name: 'By name',
  status: 'Errors first',
  failures: 'Highest failure rate first',
  run: 'Last run first',
} as const;
export type Order = keyof typeof orders;

export const orderOf = (text: string | undefined): Order =>
  text !== undefined && Object.hasOwn(orders, text) ? (text as Order) : 'newest';

const compared: Readonly<Record<Exclude<Order, 'newest'>, (a: ActorRow, b: ActorRow) => number>> = {
  name: (a, b) => (a.name || a.id).localeCompare(b.name || b.id),
  status: (a, b) => Number(b.status === 'ERROR') - Number(a.status === 'ERROR'),
  failures: (a, b) => (failureRate(b.now) ?? -1) - (failureRate(a.now) ?? -1),
  run: (a, b) => (b.lastExecutionTime ?? '').localeCompare(a.lastExecutionTime ?? ''),
};

/** Sorts actors. Rows that are equal keep their order, newest first. */
export const sorted = (rows: readonly ActorRow[], by: Order): readonly ActorRow[] =>
  by === 'newest' ? rows : rows.toSorted(compared[by]);
