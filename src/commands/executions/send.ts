// `send`: sends a message to an actor and prints the id of its execution.
import type { CommandContext } from '../../context.ts';
import { action } from '../kernel/command.ts';
import { actorHere } from '../kernel/option.ts';
import { type Receiver, resolveReceiver } from '../kernel/resolve-actor.ts';
import { messageOptions, readMessages, type Sent, sendMessage, warnOfIgnored } from './message-input.ts';

/** Warns that messages will wait. The service accepts messages for an actor in ERROR. */
export const warnOfError = ({ output }: Pick<CommandContext, 'output'>, { actor }: Receiver): void => {
  if (actor?.status === 'ERROR') {
    output.warn(
      `actor ${actor.name || actor.id} is in ERROR, its messages wait: ${actor.statusMessage || 'no reason given'}`,
    );
  }
};

/** `send <actor>` */
export const sendCommand = action({
  operations: ['messages.send'],
  args: { actor: actorHere },
  options: messageOptions,
  examples: [
    'actorctl send wordcount -m "hello world"',
    'actorctl send wordcount --file book.txt --type text',
    'actorctl send wordcount --each-line --file lines.txt',
  ],
  run: async (context, { actor: reference }, options) => {
    const { output } = context;
    const outgoing = await readMessages(context, options);
    const actor = await resolveReceiver(context, reference);
    warnOfError(context, actor);
    const sent: Sent[] = [];
    for (const message of outgoing.messages) {
      const answer = await sendMessage(context, actor, message, outgoing.env);
      // All messages have the same variables.
      if (sent.length === 0) warnOfIgnored(context, answer);
      sent.push(answer);
      if (outgoing.messages.length === 1) {
        output.verbose(`sent ${message.bytes.byteLength} bytes as ${message.type} to ${actor.name || actor.id}`);
        output.result(answer.executionId, answer, answer.executionId);
        output.next(`actorctl logs ${actor.id}/${answer.executionId} -f`);
        return 0;
      }
    }
    const ids = sent.map(({ executionId }) => executionId).join('\n');
    output.result(ids, sent, ids);
    return 0;
  },
});
