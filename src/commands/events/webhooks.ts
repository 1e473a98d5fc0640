// `webhooks`: set, show, unset, listen, test, deliveries, delivery and redeliver.
import type { CommandContext } from '../../context.ts';
import { fields } from '../../contract/for-client.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { CliFailure, inOrder } from '../../failure.ts';
import { parseTime } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { changeFields } from '../actors/actor-change.ts';
import { ACTOR, ACTOR_ID, nameRows, type OfActor } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { flag, integer, optional, required, several, text } from '../framework/option.ts';
import { resolveActor, wholeId } from '../framework/resolve-actor.ts';
import { wanted } from '../framework/search-rows.ts';
import { type Actor, between } from '../framework/views.ts';
import { DELIVERIES_PAGE, type Delivery, demandDeliveries, newestDeliveries } from './delivery-reads.ts';
import { shownUrl } from './link-graph.ts';
import { webhookDelivery } from './webhook-delivery.ts';
import { webhooksListen } from './webhooks-listen.ts';

const webhookView: View<Pick<Actor, 'id' | 'name' | 'webhook'>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  fields: ['id', 'name', 'webhook'],
  columns: [
    { header: 'ACTOR', value: ({ name, id }) => name || id, role: 'name' },
    { header: 'ID', value: ({ id }) => id, role: 'id', wide: true },
    { header: 'WEBHOOK', value: ({ webhook }) => webhook || 'none', whole: true },
  ],
};

const deliveryView: View<Delivery & OfActor> = {
  id: ({ id }) => id,
  fields: [...fields.delivery, 'actorName'],
  columns: [
    { header: 'DELIVERY', value: ({ id }) => id, role: 'id' },
    ACTOR,
    { header: 'EVENT', value: ({ eventType, eventId }) => eventType ?? eventId },
    { header: 'URL', value: ({ url }) => shownUrl(url) },
    { header: 'STATUS', value: ({ status }) => status, words: formatStatus, kind: 'status' },
    { header: 'RESPONSE', value: ({ httpStatus }) => httpStatus, kind: 'number' },
    {
      header: 'TOOK',
      value: ({ sentTime, finishTime }) => between(sentTime, finishTime),
      kind: 'duration',
      wide: true,
    },
    { header: 'WHEN', value: ({ createTime }) => createTime, kind: 'time' },
    { header: 'WHY', value: ({ error }) => error, wide: true },
    ACTOR_ID,
    { header: 'EVENT ID', value: ({ eventId }) => eventId, role: 'id', wide: true },
    { header: 'REPEATS', value: ({ redeliveryOf }) => redeliveryOf, role: 'id', wide: true },
  ],
};

const called = ({ id, name }: Pick<Actor, 'id' | 'name'>): string => name || id;

/** Sets the webhook of an actor, or removes it if the URL is empty. */
const changeWebhook = async (context: Pick<CommandContext, 'call'>, actor: Actor, webhook: string): Promise<Actor> =>
  (await changeFields(context, actor, () => ({ webhook }))).after;

/** Formats the outcome of a delivery: `200 in 12 ms`. */
const outcomeOf = ({ status, httpStatus, error, sentTime, finishTime }: Delivery): string => {
  const took = between(sentTime, finishTime);
  const time = took === undefined ? '' : ` in ${took} ms`;
  if (status === 'DELIVERED') return `${httpStatus}${time}`;
  return `${formatStatus({ status })}${error === undefined ? '' : `: ${error}`}${time}`;
};

const isFine = ({ status }: Delivery): boolean =>
  status === 'DELIVERED' || status === 'WAITING' || status === 'SENDING';

const tryOut = async ({ call, output }: CommandContext, actor: Actor): Promise<boolean> => {
  const tried = await call('webhooks.test', { params: { actorId: actor.id } });
  output.result(`POST ${shownUrl(tried.url)} -> ${outcomeOf(tried)}`, tried, tried.id);
  return isFine(tried);
};

const set = command({
  name: 'set',
  summary: 'Set the webhook that receives the events of an actor',
  operations: ['actors.update', 'webhooks.test'],
  args: { actor: required('actor', 'actor'), url: required('URL: http://127.0.0.1:9000/hook') },
  options: { test: flag('--test', 'send a synthetic event to it') },
  examples: [
    'actorctl webhooks set wordcount http://127.0.0.1:9000/hook',
    'actorctl webhooks set wordcount http://127.0.0.1:9000/hook --test',
  ],
  run: async (context, { actor: reference, url }, { test }) => {
    const actor = await resolveActor(context, reference);
    const changed = await changeWebhook(context, actor, url);
    if (test) {
      context.output.note(`${called(changed)}: webhook ${changed.webhook}`);
      return (await tryOut(context, changed)) ? 0 : 1;
    }
    const { id, name, webhook } = changed;
    context.output.result(`${called(changed)}: webhook ${webhook}`, { id, name, webhook }, id);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show the webhook of an actor',
  operations: ['actors.show'],
  args: { actor: required('actor', 'actor') },
  run: async (context, { actor: reference }) => {
    const { id, name, webhook } = await resolveActor(context, reference);
    context.output.item({ id, name, webhook }, webhookView);
    return 0;
  },
});

const unset = command({
  name: 'unset',
  summary: 'Remove the webhook of an actor',
  operations: ['actors.update'],
  args: { actor: required('actor', 'actor') },
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    const { id, name, webhook } = actor.webhook === '' ? actor : await changeWebhook(context, actor, '');
    const said = actor.webhook === '' ? 'there was no webhook' : 'webhook removed';
    context.output.result(`${called(actor)}: ${said}`, { id, name, webhook }, id);
    return 0;
  },
});

const test = command({
  name: 'test',
  summary: 'Send a synthetic event to the webhook of an actor',
  operations: ['webhooks.test'],
  args: { actor: required('actor', 'actor') },
  run: async (context, { actor: reference }) =>
    (await tryOut(context, await resolveActor(context, reference))) ? 0 : 1,
});

const deliveries = command({
  name: 'deliveries',
  summary: 'List deliveries to webhooks, newest first',
  operations: ['deliveries.list'],
  args: { actor: optional('actor (default: all actors that you may read)', 'actor') },
  options: {
    failed: flag('--failed', 'only deliveries that failed or whose outcome is unknown'),
    since: text('--since <time>', 'only deliveries since: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
    newest: integer('-n, --newest <n>', 'show only this many of the newest deliveries', {
      min: 1,
      max: DELIVERIES_PAGE,
    }),
  },
  list: true,
  examples: ['actorctl webhooks deliveries wordcount --failed', 'actorctl webhooks deliveries -n 20'],
  run: async (context, { actor: reference }, { failed, since, newest }) => {
    const from = since === undefined ? 0 : parseTime(since, await context.serviceClock.ask());
    const actorId = reference === undefined ? undefined : await actorIdOf(context, reference);
    const query = { ...(actorId !== undefined && { actorId }), ...(failed && { failed }) };
    const most = Math.min(wanted(context), newest ?? Number.MAX_SAFE_INTEGER);
    const rows = await newestDeliveries(context, query, { most, from });
    context.output.rows(await nameRows(context, rows), deliveryView);
    return 0;
  },
});

/**
 * Resolves an actor to its id. An unknown id is returned unchanged, because deliveries of a deleted actor may still
 * exist.
 */
const actorIdOf = async (context: Pick<CommandContext, 'call' | 'prompt'>, reference: string): Promise<string> => {
  try {
    return (await resolveActor(context, reference)).id;
  } catch (error) {
    const id = reference.replace(/^id:/, '');
    if (error instanceof CliFailure && error.code === 'NOT_FOUND' && wholeId.test(id)) return id;
    throw error;
  }
};

const redeliver = command({
  name: 'redeliver',
  summary: 'Send the events of deliveries to the webhook again',
  details: 'Uses the current webhooks of the actors.',
  operations: ['deliveries.redeliver', 'deliveries.list'],
  args: { deliveries: several('deliveries', 'delivery') },
  options: { dryRun },
  examples: ['actorctl webhooks redeliver D7f3kQ9aXz12b'],
  run: async ({ call, output }, { deliveries: ids }, { dryRun }) => {
    if (dryRun) {
      await demandDeliveries({ call }, ids);
      return tellDryRun(
        { output },
        ids.map((id) => `redeliver ${id}`),
        { redelivered: ids },
        ids.join('\n'),
      );
    }
    const again = await inOrder(
      ids,
      (deliveryId) => call('deliveries.redeliver', { params: { deliveryId } }),
      (done) => [`redelivered ${done.map(({ redeliveryOf }) => redeliveryOf).join(', ')}`, { redelivered: done }],
    );
    output.result(
      again.map((each) => `Redelivered ${each.redeliveryOf} -> ${outcomeOf(each)}`).join('\n'),
      again,
      again.map(({ id }) => id).join('\n'),
    );
    return again.every(isFine) ? 0 : 1;
  },
});

export const webhooksCommand: readonly LeafEntry[] = [
  set,
  show,
  unset,
  webhooksListen,
  test,
  deliveries,
  webhookDelivery,
  redeliver,
];
