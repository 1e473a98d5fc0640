// Reads the messages of `send` and `run` from flags, a file or stdin, and determines their media type.
import type { CommandContext } from '../../context.ts';
import { IDEMPOTENCY_HEADER, MESSAGE_LIMIT, steeringParameters } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure, stoppedAfter, usage } from '../../failure.ts';
import { jsonProblem, withoutMark } from '../../local/written-json.ts';
import { plural } from '../../ui/text.ts';
import { choice, flag, integer, text, texts, type ValuesOf } from '../framework/option.ts';
import { readPairs, readVariables } from '../framework/pairs.ts';
import type { Actor } from '../framework/views.ts';

export const messageTypes = ['text', 'json', 'binary'] as const;
export type MessageType = (typeof messageTypes)[number];

export const messageOptions = {
  message: text('-m, --message <text>', 'text of the message'),
  file: text('-f, --file <path>', 'file with the message, - for stdin', 'files'),
  data: texts('--data <name=value>', 'send a JSON object with this field, repeatable'),
  type: choice(
    '--type <type>',
    'content type (default: json if it is valid JSON, else text, else binary)',
    messageTypes,
  ),
  env: texts('--env <name=value>', 'variable for this execution only, repeatable'),
  repeat: integer('--repeat <times>', 'send it this many times', { min: 1, max: 10_000 }),
  idempotencyKey: text('--idempotency-key <key>', 'the service accepts a message with this key only once'),
  eachLine: flag('--each-line', 'send each line of the file or of stdin as a separate message'),
};

export type MessageOptions = ValuesOf<typeof messageOptions>;

export interface OutgoingMessage {
  readonly type: MessageType;
  readonly bytes: Uint8Array;
  /** Idempotency key: the service accepts only one message with this key. */
  readonly key?: string;
  /** Members of a JSON object that the service does not pass to the actor. */
  readonly dropped?: readonly string[];
}

export interface Outgoing {
  readonly messages: readonly OutgoingMessage[];
  readonly env: Readonly<Record<string, string>>;
}

/** The members beside `message` of a JSON object. The service uses only the value of `message`, as Abaco does. */
const droppedMembers = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { message, ...others } = value as Readonly<Record<string, unknown>>;
  const counts = typeof message === 'object' && message !== null ? Object.keys(message).length > 0 : Boolean(message);
  return counts ? Object.keys(others) : [];
};

/** Largest file that `--each-line` splits into messages, in bytes. */
const LINES_LIMIT = 256 * 1024 * 1024;

const mediaTypes: Readonly<Record<MessageType, string>> = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json',
  binary: 'application/octet-stream',
};

const parsedJson = (content: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(content) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/**
 * Returns the requested type, else the most specific matching type. @throws USAGE if the bytes do not match the
 * requested type or exceed the limit
 */
export const messageOf = (bytes: Uint8Array, asked?: MessageType): OutgoingMessage => {
  if (bytes.byteLength > MESSAGE_LIMIT) {
    throw usage(`the message has ${bytes.byteLength} bytes, the limit is ${MESSAGE_LIMIT}`);
  }
  if (asked === 'binary') return { type: 'binary', bytes };
  const content = textOf(bytes);
  if (content === undefined) {
    if (asked !== undefined) throw usage(`the message is not ${asked}: it is not UTF-8`, 'send it with --type binary');
    return { type: 'binary', bytes };
  }
  const text = withoutMark(content);
  const plain = text === content ? bytes : Buffer.from(text);
  if (asked === 'text') return { type: 'text', bytes: plain };
  const json = parsedJson(text);
  if (json) return { type: 'json', bytes: plain, dropped: droppedMembers(json.value) };
  if (asked === 'json') throw usage(`the message is not JSON: ${jsonProblem(text)}`, 'send it with --type text');
  return { type: 'text', bytes: plain };
};

const variables = (given: readonly string[]): Readonly<Record<string, string>> => {
  const env = readVariables(given, '--env');
  const taken = Object.keys(env).find((name) => steeringParameters.some((parameter) => parameter === name));
  if (taken !== undefined) throw usage(`--env: "${taken}" is a parameter of the request and cannot be a variable`);
  return env;
};

type Source = Pick<MessageOptions, 'message' | 'file' | 'data' | 'type'> & Partial<Pick<MessageOptions, 'eachLine'>>;

const sources = async (
  { read, output }: Pick<CommandContext, 'read' | 'output'>,
  options: Source,
): Promise<readonly Uint8Array[]> => {
  const given = [options.message !== undefined, options.file !== undefined, options.data.length > 0];
  const count = given.filter(Boolean).length;
  if (options.eachLine) {
    if (options.message !== undefined || options.data.length > 0) {
      throw usage('--each-line needs a file or stdin', 'remove -m and --data');
    }
    const content = textOf(await read(options.file ?? '-', LINES_LIMIT));
    if (content === undefined) throw usage('--each-line needs UTF-8 text');
    const lines = content.split(/\r?\n/);
    // A line break at the end of the text does not start another line.
    if (lines.at(-1) === '') lines.pop();
    const filled = lines.filter((line) => line.trim() !== '');
    if (filled.length === 0) throw usage('--each-line found no line with text');
    if (filled.length < lines.length) output.note(`skipped ${plural(lines.length - filled.length, 'blank line')}`);
    return filled.map((line) => Buffer.from(line));
  }
  if (count > 1) throw usage('-m, --file and --data cannot be used together', 'give one of them');
  if (options.message !== undefined) return [Buffer.from(options.message)];
  if (options.file !== undefined) return [await read(options.file, MESSAGE_LIMIT)];
  if (options.data.length > 0) return [Buffer.from(JSON.stringify(readPairs(options.data, '--data')))];
  throw usage('the message is missing', 'give -m TEXT, --file PATH (- for stdin) or --data NAME=VALUE');
};

/**
 * Reads the message that replaces the one of an execution. Undefined if no flag gives one.
 * @throws CliFailure USAGE, including for a binary message
 */
export const readEditedMessage = async (
  context: Pick<CommandContext, 'read' | 'output'>,
  source: Source,
): Promise<{ readonly type: 'text' | 'json'; readonly text: string } | undefined> => {
  const { message, file, data, type: asked } = source;
  if (message === undefined && file === undefined && data.length === 0) {
    if (asked !== undefined) throw usage('--type needs a message', 'give -m TEXT, --file PATH or --data NAME=VALUE');
    return undefined;
  }
  const [bytes = new Uint8Array()] = await sources(context, source);
  const { type, bytes: plain } = messageOf(bytes, asked ?? (data.length > 0 ? 'json' : undefined));
  if (type === 'binary') throw usage('a rerun takes text or JSON only', 'send bytes with actorctl send');
  return { type, text: Buffer.from(plain).toString() };
};

/** Reads all messages before the first one is sent. */
export const readMessages = async (
  context: Pick<CommandContext, 'read' | 'output'>,
  options: MessageOptions,
): Promise<Outgoing> => {
  const env = variables(options.env);
  const asked = options.data.length > 0 ? (options.type ?? 'json') : options.type;
  const messages = (await sources(context, options)).map((bytes) => messageOf(bytes, asked));
  const dropped = new Set(messages.flatMap((message) => message.dropped ?? []));
  if (dropped.size > 0)
    context.output.warn(
      `the actor receives only the member "message" of the JSON object, without ${[...dropped].join(', ')}; to send the whole object: --type text`,
    );
  const all = Array.from({ length: options.repeat ?? 1 }, () => messages).flat();
  const { idempotencyKey: key } = options;
  if (key === undefined) return { messages: all, env };
  // Several messages need different keys.
  return {
    messages: all.map((each, index) => ({ ...each, key: all.length === 1 ? key : `${key}.${index + 1}` })),
    env,
  };
};

export type Sent = ResultOf<Operations['messages.send']>;

/** The refusal of a variable, which the service receives as a query parameter. */
const REFUSED = /^Query parameter "(\w+)" cannot become a variable: (.*?)(, in default_environment)?\.$/;

/**
 * Words a refused variable as the flag that set it, and adds to the failure for a full mailbox the command that lists
 * the waiting messages.
 */
const inWordsOfSend = async (error: unknown, { id }: Pick<Actor, 'id'>): Promise<unknown> => {
  if (!(error instanceof CliFailure)) return error;
  const { shellWord } = await import('../../local/single-quoted.ts');
  const as = (message: string, hint: string | undefined): CliFailure =>
    new CliFailure(error.code, message, { ...error.extras, ...(hint !== undefined && { hint }), cause: error });
  if (error.code === 'THROTTLED') return as(error.message, `actorctl messages list ${shellWord(id)}`);
  const [, name, why, ofOwner] = REFUSED.exec(error.message) ?? [];
  if (name === undefined) return error;
  const hint = ofOwner && `for all executions: actorctl actors update ${shellWord(id)} --env ${name}=VALUE`;
  return as(`--env: "${name}" cannot be set for one execution: ${why}`, hint);
};

export const sendMessage = (
  { call }: Pick<CommandContext, 'call'>,
  actor: Pick<Actor, 'id'>,
  { type, bytes, key }: OutgoingMessage,
  env: Outgoing['env'],
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> =>
  call('messages.send', {
    params: { actorId: actor.id },
    query: env,
    bytes,
    headers: { ...headers, 'content-type': mediaTypes[type], ...(key !== undefined && { [IDEMPOTENCY_HEADER]: key }) },
  }).catch(async (error: unknown) => {
    throw await inWordsOfSend(error, actor);
  });

/** Adds the execution id to a failure, because the execution may continue. A timed-out wait already contains the id. */
export const afterSubmission = (
  error: unknown,
  { actorId, executionId }: { readonly actorId: string; readonly executionId: string },
): unknown => {
  if (!(error instanceof CliFailure) || error.code === 'WAIT_TIMEOUT') return error;
  const { code, message, extras } = error;
  const wait = `actorctl executions wait ${actorId}/${executionId}`;
  const hint = extras.hint === undefined ? wait : `${extras.hint}, then ${wait}`;
  const hinted = new CliFailure(code, message, { ...extras, hint, cause: error });
  return stoppedAfter(hinted, `execution ${executionId} was submitted`, { actorId, executionId });
};

export const warnOfIgnored = (
  { output }: Pick<CommandContext, 'output'>,
  { ignored_variables: names = [] }: Pick<Sent, 'ignored_variables'>,
): void => {
  if (names.length > 0)
    output.warn(
      `not set, because the actor does not declare them: ${names.join(', ')}. Its owner can allow names with: actorctl actors update --sender-variables`,
    );
};
