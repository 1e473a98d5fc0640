// `messages`: lists, counts and deletes the waiting messages of an actor.
import { DETAILS_LIMIT } from '../../contract/for-client.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { CliFailure } from '../../failure.ts';
import { plural } from '../../ui/text.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { actorHere, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { waitingMessageView } from '../framework/views.ts';

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: `List at most ${DETAILS_LIMIT} waiting messages, oldest first`,
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
    if (messages > waiting.length) output.note(`${messages - waiting.length} more messages are waiting`);
    return 0;
  },
});

const count = command({
  name: 'count',
  summary: 'Count the waiting messages',
  details: 'Messages whose execution is running are not counted.',
  operations: ['messages.count'],
  args: { actor: actorHere },
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    const { messages } = await context.call('messages.count', { params: { actorId: actor.id } });
    context.output.report(String(messages), { messages }, String(messages));
    return 0;
  },
});

const purge = command({
  name: 'purge',
  summary: 'Delete the waiting messages',
  details: 'Their executions end as CANCELLED.',
  operations: ['messages.purge'],
  args: { actor: actorHere },
  options: {
    execution: text('--execution <id>', 'delete only the message of this execution'),
    dryRun,
  },
  examples: ['actorctl messages purge wordcount --yes'],
  run: async (context, { actor: reference }, { execution, dryRun }) => {
    const { call, output, prompt } = context;
    const actor = await resolveActor(context, reference);
    const name = actor.name || actor.id;
    const params = { actorId: actor.id };
    if (execution !== undefined) {
      const found = await call('executions.show', { params: { ...params, executionId: execution } });
      const { id: executionId, status } = found;
      const missed = (now: string) =>
        new CliFailure('NOT_FOUND', `cannot delete the message of ${executionId}: it does not wait, it is ${now}`, {
          hint: `actorctl executions show ${executionId}`,
        });
      if (status !== 'SUBMITTED') throw missed(formatStatus(found));
      if (dryRun) return tellDryRun(context, [`delete the message of ${executionId}`], { purged: 1 });
      await prompt.confirm(`Delete the waiting message of execution ${executionId} of ${name}?`);
      const { purged } = await call('messages.purge', { params, query: { executionId } });
      if (purged === 0) throw missed('running');
      output.result(`Deleted the message of ${executionId}`, { purged }, executionId);
      return 0;
    }
    const { messages } = await call('messages.count', { params });
    const counted = (count: number): string => `${plural(count, 'message')} of ${name}`;
    if (dryRun) {
      return tellDryRun(context, messages > 0 ? [`delete ${counted(messages)}`] : [], { purged: messages });
    }
    // Without messages there is nothing to confirm.
    if (messages > 0)
      await prompt.confirm(`Delete ${messages} waiting ${messages === 1 ? 'message' : 'messages'} of ${name}?`);
    const { purged } = await call('messages.purge', { params });
    output.result(`Deleted ${counted(purged)}`, { purged });
    return 0;
  },
});

export const messagesCommand: readonly LeafEntry[] = [list, count, purge];
