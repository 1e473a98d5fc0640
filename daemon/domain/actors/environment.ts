// Builds the environment of an execution: variables, and files for values too large for a variable.
import { legacyVariables } from '../legacy/legacy-variables.ts';
import { pythonText } from '../legacy/python-text.ts';
import type { ActorRecord, MessageRecord } from '../records/actor-records.ts';

/** The message body as passed to a run: the text or bytes themselves, or the path of a file on this machine. */
export type MessageBody = { readonly text: string } | { readonly bytes: Uint8Array } | { readonly file: string };

/** A read-only file inside the run, and the variable that contains its path. */
export interface EnvironmentFile {
  readonly path: string;
  readonly variable: string;
  readonly source: { readonly bytes: Uint8Array } | { readonly file: string };
}

export interface Environment {
  readonly variables: Readonly<Record<string, string>>;
  readonly files: readonly EnvironmentFile[];
}

export interface EnvironmentInput {
  readonly actor: Pick<ActorRecord, 'id' | 'tenant' | 'name' | 'environment' | 'dialect'>;
  readonly message: Pick<
    MessageRecord,
    'executionId' | 'contentType' | 'variables' | 'executor' | 'actorRevision' | 'bodyFile' | 'cron'
  >;
  /** The message. For a legacy actor, a JSON message is always passed as text. */
  readonly body: MessageBody;
  /** The state as JSON text. */
  readonly state: string;
  /** JSON text of the configs shared with the actor. */
  readonly configs: string;
  readonly worker: { readonly id: string; readonly image: string };
  readonly apiServer?: string;
  readonly accessToken?: string;
}

/** Linux kernel limit in bytes for one environment string, including the name, `=` and the final NUL. */
const KERNEL_LIMIT = 131_072;

const encoder = new TextEncoder();

export const fitsVariable = (name: string, bytes: number): boolean => name.length + 1 + bytes + 1 < KERNEL_LIMIT;

const pathOf = (name: string): string => (name === 'MSG' ? '/_svc_msg' : `/_svc_file_${name}`);

/** Length in UTF-8 bytes. For short values, which fit anyway, the number of characters. */
const bytesOf = (value: string): number =>
  value.length * 3 < KERNEL_LIMIT / 2 ? value.length : encoder.encode(value).length;

/** True if a run gets a value as a variable. Otherwise it gets a file with the value. */
export const isVariable = (name: string, value: string): boolean =>
  fitsVariable(name, bytesOf(value)) && !value.includes('\0');

/** A variable passed as a file: `NAME_FILE` replaces `NAME`. */
export const asFile = (name: string, value: string): EnvironmentFile => ({
  path: pathOf(name),
  variable: `${name}_FILE`,
  source: { bytes: encoder.encode(value) },
});

export const BINARY = { path: '/_svc_binary_data', variable: '_svc_binary_data_FILE' } as const;
const LEGACY_BINARY = { path: '/_abaco_binary_data', variable: '_abaco_binary_data_FILE' } as const;

/**
 * Variables that make clients of the hosted platform accept the certificate of the local authority, which no container
 * trusts by default.
 */
const TRUST = ['TAPIS_DEFAULT_VERIFY_SSL', 'false'] as const;

const bodyFile = (body: MessageBody): EnvironmentFile['source'] =>
  'text' in body ? { bytes: encoder.encode(body.text) } : body;

/**
 * Variables about the cause of the execution: the sender's name, or the scheduled time and the number of missed runs.
 * @see docs/actors.md#what-an-actor-finds-and-returns, docs/http-api.md#schedules
 */
const originVariables = ({ cron, executor }: EnvironmentInput['message']): readonly (readonly [string, string])[] =>
  cron === undefined
    ? [['_svc_username', executor]]
    : [
        ['_svc_cron_scheduled_time', new Date(cron.scheduledAt).toISOString()],
        ['_svc_cron_missed', String(cron.missed)],
      ];

/**
 * Builds the environment of one execution:
 * - Precedence, lowest first: the actor's own variables, query parameters, variables of the platform, the message.
 * - A value that no variable can hold (128 KiB or more, or containing NUL) becomes a file, and `NAME_FILE` replaces
 *   `NAME`.
 * - A binary message is always a file.
 * - A legacy actor gets JSON in Python's notation, and gets each variable and file of the platform under the hosted
 *   platform's names too.
 * - Variable names are checked when the message is accepted, not here.
 * @see docs/actors.md#what-an-actor-finds-and-returns, docs/http-api.md#messages, docs/legacy.md
 */
export const environmentOf = (input: EnvironmentInput): Environment => {
  const { actor, message, configs, worker, apiServer, accessToken, body } = input;
  const isLegacy = actor.dialect === 'legacy';
  const state = isLegacy ? pythonText(input.state) : input.state;
  // This is a Map, because a variable may be named `__proto__`.
  const values = new Map<string, string>([
    ['PYTHONUNBUFFERED', '1'],
    ...(isLegacy && apiServer?.startsWith('https:') ? [TRUST] : []),
    ...Object.entries(actor.environment),
    ...Object.entries(message.variables),
    ...originVariables(message),
    ...(apiServer === undefined ? [] : ([['_svc_api_server', apiServer]] as const)),
    ['_svc_execution_id', message.executionId],
    ['_svc_Content_Type', message.contentType],
    ['_svc_actor_revision', String(message.actorRevision)],
    ...(accessToken === undefined ? [] : ([['_svc_access_token', accessToken]] as const)),
    ['_svc_actor_dbid', `${actor.tenant}_${actor.id}`],
    ['_svc_actor_id', actor.id],
    ['_svc_worker_id', worker.id],
    ['_svc_container_repo', worker.image],
    ...(state === undefined ? [] : ([['_svc_actor_state', state]] as const)),
    ['_svc_actor_name', actor.name === '' ? 'None' : actor.name],
    ['_actor_configs', configs],
  ]);
  const files: EnvironmentFile[] = [];
  values.delete('MSG');
  if (message.contentType === 'application/octet-stream') {
    const source = bodyFile(body);
    files.push({ ...BINARY, source }, ...(isLegacy ? [{ ...LEGACY_BINARY, source }] : []));
  } else if ('text' in body) {
    const text = isLegacy && message.contentType === 'application/json' ? pythonText(body.text) : body.text;
    if (text !== undefined) values.set('MSG', text);
  } else files.push({ path: pathOf('MSG'), variable: 'MSG_FILE', source: body });
  if (isLegacy) for (const [name, value] of legacyVariables([...values])) values.set(name, value);

  const variables: [string, string][] = [];
  for (const [name, value] of values) {
    if (isVariable(name, value)) variables.push([name, value]);
    else files.push(asFile(name, value));
  }
  const named = new Set(files.map((file) => file.variable));
  return { variables: Object.fromEntries(variables.filter(([name]) => !named.has(name))), files };
};
