// `send`: sends a message to an actor and prints the id of its execution.
import type { CommandContext } from '../../context.ts';
import { stoppedAfter } from '../../failure.ts';
import { action } from '../framework/command.ts';
import { ifRouted } from '../framework/if-found.ts';
import { actorHere } from '../framework/option.ts';
import {
  type ActorInBrief,
  type Receiver,
  readAsOwnName,
  resolveReceiver,
  textForPath,
} from '../framework/resolve-actor.ts';
import {
  messageOptions,
  type Outgoing,
  type OutgoingMessage,
  readMessages,
  type Sent,
  sendMessage,
  warnOfIgnored,
} from './message-input.ts';

/**
 * Largest message, in bytes, that is sent before its actor is known to exist. A larger message would risk being
 * uploaded twice.
 */
const DIRECT_LIMIT = 64 * 1024;

/** Warns that messages will wait. The service accepts messages for an actor in ERROR. */
export const warnOfError = ({ output }: Pick<CommandContext, 'output'>, { actor }: Receiver): void => {
  if (actor?.status === 'ERROR') {
    output.warn(
      `actor ${actor.name || actor.id} is in ERROR, so its messages wait: ${actor.statusMessage || 'no reason given'}`,
    );
  }
};

/**
 * The actor that received a message. A service that does not support names in paths returns no actor; then the text
 * was an id or alias.
 */
const receiverOf = async (
  { call }: Pick<CommandContext, 'call'>,
  text: string,
  taken: ActorInBrief | undefined,
): Promise<Receiver> => {
  // The message was accepted, so the command does not fail if the actor cannot be shown.
  const actor = taken ?? (await call('actors.show', { params: { actorId: text } }).catch(() => undefined));
  return actor === undefined ? { id: text, name: '' } : { id: actor.id, name: actor.name, actor };
};

/**
 * Sends the first message and determines its actor. One request addresses the actor by the text as typed. If the
 * service finds no actor of the caller for the text, it has accepted no message; then the actor is looked up first.
 */
const sendFirst = async (
  context: CommandContext,
  reference: string,
  message: OutgoingMessage,
  env: Outgoing['env'],
): Promise<{ readonly receiver: Receiver; readonly sent: Sent }> => {
  const text = message.bytes.byteLength <= DIRECT_LIMIT ? textForPath(context, reference) : undefined;
  const taken =
    text === undefined ? undefined : await ifRouted(sendMessage(context, { id: text }, message, env, readAsOwnName));
  if (text === undefined || taken === undefined) {
    const receiver = await resolveReceiver(context, reference);
    return { receiver, sent: await sendMessage(context, receiver, message, env) };
  }
  const { actor, ...sent } = taken;
  return { receiver: await receiverOf(context, text, actor), sent };
};

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
    const { messages, env } = await readMessages(context, options);
    const [first, ...others] = messages;
    if (first === undefined) throw new TypeError('there is no message to send');
    const { receiver, sent } = await sendFirst(context, reference, first, env);
    warnOfError(context, receiver);
    // All messages have the same variables.
    warnOfIgnored(context, sent);
    if (others.length === 0) {
      output.verbose(`sent ${first.bytes.byteLength} bytes as ${first.type} to ${receiver.name || receiver.id}`);
      output.result(sent.executionId, sent, sent.executionId);
      output.next(`actorctl logs ${receiver.id}/${sent.executionId} -f`);
      return 0;
    }
    const all: Sent[] = [sent];
    const ids = (): readonly string[] => all.map(({ executionId }) => executionId);
    const tell = (): unknown => output.result(ids().join('\n'), all, ids().join('\n'));
    try {
      for (const message of others) all.push(await sendMessage(context, receiver, message, env));
    } catch (error) {
      // With a JSON format, a failure has no result: the ids are in its details.
      if (!output.machine) tell();
      throw stoppedAfter(error, `${all.length} of ${messages.length} messages were sent`, { executionIds: ids() });
    }
    tell();
    return 0;
  },
});
