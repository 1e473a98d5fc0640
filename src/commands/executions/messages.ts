// `messages`: what waits in the mailbox of an actor: list, count, purge.
import { DETAILS_LIMIT } from '../../contract/actors/messages.ts';
import { command, type Leaf } from '../kernel/command.ts';
import { actorHere } from '../kernel/option.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';
import { waitingMessageView } from '../kernel/views.ts';

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: `Lists the messages that wait, oldest first, at most ${DETAILS_LIMIT}.`,
  operations: ['messages.count'],
  args: { actor: actorHere },
  list: true,
  examples: ['actorctl messages list wordcount'],
  run: async (context, { actor: reference }) => {
    const { call, output } = context;
    const actor = await resolveActor(context, reference);
    const { messages, waiting = [] } = await call('messages.count', {
      params: { actorId: actor.id },
      query: { details: true },
    });
    output.rows(waiting, waitingMessageView);
    if (messages > waiting.length) output.note(`${messages - waiting.length} more wait`);
    return 0;
  },
});

const count = command({
  name: 'count',
  summary: 'Counts the messages that wait; the ones being executed are not counted.',
  operations: ['messages.count'],
  args: { actor: actorHere },
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    const { messages } = await context.call('messages.count', { params: { actorId: actor.id } });
    context.output.result(String(messages), { messages }, String(messages));
    return 0;
  },
});

const purge = command({
  name: 'purge',
  summary: 'Drops the messages that wait; their executions end CANCELLED.',
  operations: ['messages.purge'],
  args: { actor: actorHere },
  examples: ['actorctl messages purge wordcount --yes'],
  run: async (context, { actor: reference }) => {
    const { call, output, prompt } = context;
    const actor = await resolveActor(context, reference);
    const name = actor.name || actor.id;
    const params = { actorId: actor.id };
    const { messages } = await call('messages.count', { params });
    // Nothing to lose, nothing to ask.
    if (messages > 0)
      await prompt.confirm(`Drop ${messages} waiting ${messages === 1 ? 'message' : 'messages'} of ${name}?`);
    const { purged } = await call('messages.purge', { params });
    output.result(`Purged ${purged} ${purged === 1 ? 'message' : 'messages'} of ${name}`, { purged });
    return 0;
  },
});

/** `messages` */
export const messagesCommand: readonly Leaf[] = [list, count, purge];
