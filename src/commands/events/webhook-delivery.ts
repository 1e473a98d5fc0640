// `webhooks delivery`: one delivery with its attempts, its request and the begin of the response.
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatStatus } from '../../contract/outcome.ts';
import type { Column, View } from '../../ui/format/view.ts';
import { nameRows, type OfActor } from '../framework/actor-names.ts';
import { command } from '../framework/command.ts';
import { required } from '../framework/option.ts';
import { between } from '../framework/views.ts';
import { deliveryOutcome, shownUrl } from './link-graph.ts';

type Detail = ResultOf<Operations['deliveries.show']> & OfActor;

const responseText = ({ response }: Detail): string | undefined => {
  if (response === undefined) return undefined;
  const { text, isCut } = response;
  return `${text ?? 'not UTF-8 text'}${isCut ? '…' : ''}`;
};

const view = ({ attempts, request }: Detail): View<Detail> => ({
  id: ({ id }) => id,
  columns: [
    { header: 'DELIVERY', value: ({ id }) => id, role: 'id' },
    { header: 'ACTOR', value: ({ actorName, actorId }) => actorName ?? actorId, role: 'name' },
    { header: 'EVENT', value: ({ eventId, eventType }) => `${eventId} ${eventType ?? '(deleted)'}` },
    { header: 'URL', value: ({ url }) => shownUrl(url), whole: true },
    { header: 'STATUS', value: ({ status }) => status, words: formatStatus, kind: 'status' },
    { header: 'WHY', value: ({ error }) => error },
    { header: 'CREATED', value: ({ createTime }) => createTime, kind: 'time' },
    { header: 'TOOK', value: ({ sentTime, finishTime }) => between(sentTime, finishTime), kind: 'duration' },
    ...attempts.map(
      (attempt): Column<Detail> => ({
        header: `attempt ${attempt.id}`,
        value: () => deliveryOutcome(attempt),
        exact: true,
        section: 'Attempts',
      }),
    ),
    ...(request?.headers ?? []).map(
      ({ name, value }): Column<Detail> => ({ header: name, value: () => value, exact: true, section: 'Request' }),
    ),
    { header: 'BODY', value: () => request?.body ?? 'the event was deleted', whole: true, section: 'Request' },
    { header: 'CODE', value: ({ httpStatus }) => httpStatus, kind: 'number', section: 'Response' },
    { header: 'TYPE', value: ({ response }) => response?.type, section: 'Response' },
    { header: 'TEXT', value: responseText, whole: true, section: 'Response' },
  ],
});

export const webhookDelivery = command({
  name: 'delivery',
  summary: 'Show a delivery with its request and response',
  details: 'The response is shown to those who may update the actor: its begin, with secrets as ***.',
  operations: ['deliveries.show'],
  args: { delivery: required('delivery id', 'delivery') },
  examples: ['actorctl webhooks delivery D7f3kQ9aXz12b'],
  run: async (context, { delivery: deliveryId }) => {
    const found = await context.call('deliveries.show', { params: { deliveryId } });
    const [row = found] = await nameRows(context, [found]);
    context.output.item(row, view(found));
    return 0;
  },
});
