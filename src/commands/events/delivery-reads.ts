// Reads deliveries to webhooks from the service, page by page.
import type { CommandContext } from '../../context.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';

export type Delivery = ResultOf<Operations['deliveries.redeliver']>;

export const DELIVERIES_PAGE = 1_000;

type Asker = Pick<CommandContext, 'call'>;

/** Selects deliveries: the query of `deliveries.list` without its cursor. */
type DeliveryQuery = Readonly<{ actorId?: string; failed?: boolean }>;

async function* deliveryPages({ call }: Asker, query: DeliveryQuery): AsyncGenerator<readonly Delivery[], void, void> {
  for (let after = 0; ; ) {
    const { deliveries: page, next } = await call('deliveries.list', {
      query: { ...query, limit: DELIVERIES_PAGE, after },
    });
    yield page;
    if (page.length < DELIVERIES_PAGE) return;
    after = Number(next);
  }
}

/**
 * Reads the newest deliveries, newest first: at least `most` deliveries since a time, if that many exist. The service
 * can list more than one page only in ascending order, so the pages are read from the oldest.
 * @param from milliseconds since the epoch
 */
export const newestDeliveries = async (
  context: Asker,
  query: DeliveryQuery,
  { most, from }: { readonly most: number; readonly from: number },
): Promise<readonly Delivery[]> => {
  const limit = Math.min(DELIVERIES_PAGE, most);
  const { deliveries: newest } = await context.call('deliveries.list', { query: { ...query, limit } });
  const isSince = ({ createTime }: Delivery): boolean => Date.parse(createTime) >= from;
  const isEnough = most <= DELIVERIES_PAGE || newest.length < DELIVERIES_PAGE || !newest.every(isSince);
  if (isEnough) return newest.filter(isSince).toReversed();
  const all: Delivery[] = [];
  for await (const page of deliveryPages(context, query)) all.push(...page);
  return all.filter(isSince).reverse();
};

/** @throws CliFailure NOT_FOUND if an id belongs to no delivery that the caller may read */
export const demandDeliveries = async (context: Asker, ids: readonly string[]): Promise<void> => {
  const missing = new Set(ids);
  for await (const page of deliveryPages(context, {})) {
    for (const { id } of page) missing.delete(id);
    if (missing.size === 0) return;
  }
  const [first] = missing;
  throw new CliFailure('NOT_FOUND', `there is no delivery "${first}"`, {
    hint: 'actorctl webhooks deliveries',
    details: { delivery: first },
  });
};
