// `why`: draws the causes and effects of an execution.
import type { CommandContext } from '../../context.ts';
import { formatOutcome } from '../executions/wait-for-outcome.ts';
import { createNames } from '../framework/actor-names.ts';
import { action } from '../framework/command.ts';
import { required } from '../framework/option.ts';
import { resolveExecution } from '../framework/resolve-execution.ts';
import { deliveryOutcome, shownUrl } from './link-graph.ts';
import { chainOf, type Link } from './why-chain.ts';

const ways = { link: 'by link: ', webhook: 'by webhook: ', execution: 'sent: ' } as const;

type Naming = (actorId: string) => Promise<string>;

const sentence = async (link: Link, nameOf: Naming): Promise<string> => {
  if (link.kind === 'message') return `message from ${link.from} at ${link.at}`;
  if (link.kind === 'gone') return `${link.what} ${link.id} (deleted, or you may not read it)`;
  if (link.kind === 'event') {
    const { id, event_type, actor_id, linkProblem } = link.event;
    const problem = linkProblem === undefined ? '' : ` (link failed: ${linkProblem})`;
    return `event ${id}  ${event_type} of ${await nameOf(actor_id)}${problem}`;
  }
  if (link.kind === 'delivery') {
    const { id, url, redeliveryOf } = link.delivery;
    const again = redeliveryOf === undefined ? '' : 'redelivery, ';
    return `webhook: delivery ${id}, ${again}POST ${shownUrl(url)} -> ${deliveryOutcome(link.delivery)}`;
  }
  const { execution, by, asked } = link;
  const way = by === undefined ? '' : ways[by];
  const mark = asked ? '   <- this one' : '';
  return `${way}execution ${execution.id} of ${await nameOf(execution.actorId)}  ${formatOutcome(execution)}${mark}`;
};

const draw = async (link: Link, nameOf: Naming, first = '', rest = ''): Promise<readonly string[]> => {
  const lines = [`${first}${await sentence(link, nameOf)}`];
  for (const [index, next] of link.ledTo.entries()) {
    const last = index === link.ledTo.length - 1;
    lines.push(...(await draw(next, nameOf, `${rest}${last ? '└─ ' : '├─ '}`, `${rest}${last ? '   ' : '│  '}`)));
  }
  return lines;
};

/** The chain as JSON. Of each execution it has only the fields of the outcome. */
const plainOf = (link: Link): Readonly<Record<string, unknown>> => {
  const ledTo = link.ledTo.map(plainOf);
  if (link.kind === 'event') return { kind: 'event', ...link.event, ledTo };
  if (link.kind === 'delivery') return { kind: 'delivery', ...link.delivery, ledTo };
  if (link.kind !== 'execution') return { ...link, ledTo };
  const { id, actorId, status, exitCode, reason } = link.execution;
  return {
    kind: 'execution',
    id,
    actorId,
    status,
    ...(exitCode !== undefined && { exitCode }),
    ...(reason !== undefined && { reason }),
    ...(link.by !== undefined && { by: link.by }),
    ...(link.asked && { asked: true }),
    ledTo,
  };
};

const run = async (context: CommandContext, reference: string): Promise<number> => {
  const { output } = context;
  const execution = await resolveExecution(context, reference);
  const chain = await chainOf(context, execution);
  const lines = output.machine ? [] : await draw(chain, createNames(context));
  output.report(lines.join('\n'), plainOf(chain), execution.id);
  return 0;
};

export const whyCommand = action({
  details: 'Draws the chain of messages, events, links and webhooks.',
  operations: ['executions.show', 'executions.find', 'events.list', 'events.show', 'deliveries.list', 'search.find'],
  args: { execution: required('execution', 'execution') },
  examples: ['actorctl why @last', 'actorctl why report@last:failed'],
  run: (context, { execution }) => run(context, execution),
});
