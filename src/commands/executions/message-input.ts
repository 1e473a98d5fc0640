// The messages of `send` and `run`: from flags, a file or stdin to the bytes and media type that are sent.
import type { CommandContext } from '../../context.ts';
import { IDEMPOTENCY_HEADER, MESSAGE_LIMIT, steeringParameters } from '../../contract/actors/messages.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import { choice, flag, integer, text, texts, type ValuesOf } from '../kernel/option.ts';
import { readPairs } from '../kernel/pairs.ts';
import type { Actor } from '../kernel/views.ts';

export const messageTypes = ['text', 'json', 'binary'] as const;
export type MessageType = (typeof messageTypes)[number];

/** The flags that say what is sent. */
export const messageOptions = {
  message: text('-m, --message <text>', 'the message itself'),
  file: text('-f, --file <path>', 'the message is the content of a file, - for stdin'),
  data: texts('--data <name=value>', 'a field of a JSON object to send'),
  type: choice(
    '--type <type>',
    'how it is sent; the default is json when it is JSON, else text, else binary',
    messageTypes,
  ),
  env: texts('--env <name=value>', 'a variable for this execution alone'),
  repeat: integer('--repeat <times>', 'send it so many times', { min: 1, max: 10_000 }),
  idempotencyKey: text('--idempotency-key <key>', 'sent again under the same key, it is not taken again'),
  eachLine: flag('--each-line', 'every line of the file, or of stdin, is a message of its own'),
};

export type MessageOptions = ValuesOf<typeof messageOptions>;

/** One message as it goes out. */
export interface OutgoingMessage {
  readonly type: MessageType;
  readonly bytes: Uint8Array;
  /** Under which it is taken once only. */
  readonly key?: string;
}

/** What is sent, one after another, and the variables that go with each. */
export interface Outgoing {
  readonly messages: readonly OutgoingMessage[];
  readonly env: Readonly<Record<string, string>>;
}

/** Largest file that `--each-line` cuts into messages, in bytes. */
const LINES_LIMIT = 256 * 1024 * 1024;

const mediaTypes: Readonly<Record<MessageType, string>> = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json',
  binary: 'application/octet-stream',
};

const isJson = (content: string): boolean => {
  try {
    JSON.parse(content);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
};

/** The text of UTF-8 bytes, or undefined when they are none. */
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/**
 * Makes a message of bytes: of the type that was asked for, else of the narrowest that fits.
 * @throws USAGE when they are not what was asked for, or too many
 */
export const messageOf = (bytes: Uint8Array, asked: MessageType | undefined): OutgoingMessage => {
  if (bytes.byteLength > MESSAGE_LIMIT) {
    throw usage(`the message has ${bytes.byteLength} bytes, more than the ${MESSAGE_LIMIT} a message may have`);
  }
  if (asked === 'binary') return { type: 'binary', bytes };
  const content = textOf(bytes);
  if (content === undefined) {
    if (asked !== undefined) throw usage(`the message is not ${asked}: it is not UTF-8`, 'send it with --type binary');
    return { type: 'binary', bytes };
  }
  if (asked === 'text') return { type: 'text', bytes };
  if (isJson(content)) return { type: 'json', bytes };
  if (asked === 'json') throw usage('the message is not JSON', 'send it with --type text');
  return { type: 'text', bytes };
};

const variables = (given: readonly string[]): Readonly<Record<string, string>> => {
  const env = readPairs(given, '--env');
  const taken = Object.keys(env).find((name) => steeringParameters.some((parameter) => parameter === name));
  if (taken !== undefined) throw usage(`--env: '${taken}' steers the request and cannot be a variable`);
  return env;
};

/** The bytes of the messages, before their type is known. */
const sources = async (
  { read }: Pick<CommandContext, 'read'>,
  options: MessageOptions,
): Promise<readonly Uint8Array[]> => {
  const given = [options.message !== undefined, options.file !== undefined, options.data.length > 0];
  const count = given.filter(Boolean).length;
  if (options.eachLine) {
    if (options.message !== undefined || options.data.length > 0) {
      throw usage('--each-line reads a file or stdin', 'leave out -m and --data');
    }
    const content = textOf(await read(options.file ?? '-', LINES_LIMIT));
    if (content === undefined) throw usage('--each-line needs UTF-8 text');
    const lines = content.split(/\r?\n/);
    // The end of the last line begins no further one.
    if (lines.at(-1) === '') lines.pop();
    if (lines.length === 0) throw usage('--each-line found no line to send');
    return lines.map((line) => Buffer.from(line));
  }
  if (count > 1) throw usage('-m, --file and --data exclude each other', 'give one of them');
  if (options.message !== undefined) return [Buffer.from(options.message)];
  if (options.file !== undefined) return [await read(options.file, MESSAGE_LIMIT + 1)];
  if (options.data.length > 0) return [Buffer.from(JSON.stringify(readPairs(options.data, '--data')))];
  throw usage('there is no message to send', 'give -m TEXT, --file PATH (- for stdin) or --data NAME=VALUE');
};

/**
 * Reads everything that shall be sent before anything is.
 * @throws USAGE on contradicting flags, content that is not of its type, and messages that are too large
 */
export const readMessages = async (
  context: Pick<CommandContext, 'read'>,
  options: MessageOptions,
): Promise<Outgoing> => {
  const env = variables(options.env);
  const asked = options.data.length > 0 ? (options.type ?? 'json') : options.type;
  const messages = (await sources(context, options)).map((bytes) => messageOf(bytes, asked));
  const all = Array.from({ length: options.repeat ?? 1 }, () => messages).flat();
  const { idempotencyKey: key } = options;
  if (key === undefined) return { messages: all, env };
  // Each of several is a message of its own.
  return {
    messages: all.map((each, index) => ({ ...each, key: all.length === 1 ? key : `${key}.${index + 1}` })),
    env,
  };
};

/** The service's answer to a message. */
export type Sent = ResultOf<Operations['messages.send']>;

/** Sends one message. @throws CliFailure the refusals of the service */
export const sendMessage = (
  { call }: Pick<CommandContext, 'call'>,
  actor: Pick<Actor, 'id'>,
  { type, bytes, key }: OutgoingMessage,
  env: Outgoing['env'],
): Promise<Sent> =>
  call('messages.send', {
    params: { actorId: actor.id },
    query: env,
    bytes,
    headers: { 'content-type': mediaTypes[type], ...(key !== undefined && { [IDEMPOTENCY_HEADER]: key }) },
  });
