// What one execution finds in its environment: variables, and files for the values that do not fit one.
import type { ActorRecord, MessageRecord } from '../records/actor-records.ts';

/** A message as it goes to a run: text, or a file of this machine that holds it. */
export type MessageBody = { readonly text: string } | { readonly file: string };

/** A read-only file of the run and the variable that names it. */
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
  readonly actor: Pick<ActorRecord, 'id' | 'tenant' | 'name' | 'environment'>;
  readonly message: Pick<
    MessageRecord,
    'executionId' | 'contentType' | 'variables' | 'executor' | 'actorRevision' | 'bodyFile' | 'cron'
  >;
  readonly body: MessageBody;
  /** JSON text of the actor's state. */
  readonly state: string;
  /** JSON text of the configs that are shared with the actor. */
  readonly configs: string;
  readonly worker: { readonly id: string; readonly image: string };
  /** Address of the API as the run reaches it. */
  readonly apiServer?: string;
  readonly accessToken?: string;
}

/** The kernel refuses an environment string of more bytes, name, `=` and the closing NUL counted. */
const KERNEL_LIMIT = 131_072;

const encoder = new TextEncoder();

/** Whether a value of that many bytes can be a variable of that name. */
export const fitsVariable = (name: string, bytes: number): boolean => name.length + 1 + bytes + 1 < KERNEL_LIMIT;

/** Where the value of a variable stands when it stands in a file. */
const pathOf = (name: string): string => (name === 'MSG' ? '/_svc_msg' : `/_svc_file_${name}`);

const BINARY = { path: '/_svc_binary_data', variable: '_svc_binary_data_FILE' } as const;

const bodyFile = (body: MessageBody): EnvironmentFile['source'] =>
  'file' in body ? { file: body.file } : { bytes: encoder.encode(body.text) };

/** The sender's name; of what the plan of the actor made, nobody's: when it was due, and how many before it nothing ran for. @see facts 4.3, 7 */
const whoSent = ({ cron, executor }: EnvironmentInput['message']): readonly (readonly [string, string])[] =>
  cron === undefined
    ? [['_svc_username', executor]]
    : [
        ['_svc_cron_scheduled_time', new Date(cron.scheduledAt).toISOString()],
        ['_svc_cron_missed', String(cron.missed)],
      ];

/**
 * The environment of one execution. Later ones win: the actor's own variables, query parameters, context, message.
 * A value that no variable can hold (128 KiB, or a NUL inside) becomes a file, and `NAME_FILE` names it instead of `NAME`.
 * A binary message is always a file. Which names a sender may use is decided when the message is taken.
 * @see wire.md "Messages and executions", facts 4.2, 4.3
 */
export const environmentOf = (input: EnvironmentInput): Environment => {
  const { actor, message, state, configs, worker, apiServer, accessToken, body } = input;
  // A map: a variable may be called `__proto__`.
  const values = new Map<string, string>([
    ['PYTHONUNBUFFERED', '1'],
    ...Object.entries(actor.environment),
    ...Object.entries(message.variables),
    ...whoSent(message),
    ...(apiServer === undefined ? [] : ([['_svc_api_server', apiServer]] as const)),
    ['_svc_execution_id', message.executionId],
    ['_svc_Content_Type', message.contentType],
    ['_svc_actor_revision', String(message.actorRevision)],
    ...(accessToken === undefined ? [] : ([['_svc_access_token', accessToken]] as const)),
    ['_svc_actor_dbid', `${actor.tenant}_${actor.id}`],
    ['_svc_actor_id', actor.id],
    ['_svc_worker_id', worker.id],
    ['_svc_container_repo', worker.image],
    ['_svc_actor_state', state],
    ['_svc_actor_name', actor.name === '' ? 'None' : actor.name],
    ['_actor_configs', configs],
  ]);
  const files: EnvironmentFile[] = [];
  values.delete('MSG');
  if (message.contentType === 'application/octet-stream') files.push({ ...BINARY, source: bodyFile(body) });
  else if ('text' in body) values.set('MSG', body.text);
  else files.push({ path: pathOf('MSG'), variable: 'MSG_FILE', source: { file: body.file } });

  const variables: [string, string][] = [];
  for (const [name, value] of values) {
    const bytes = value.length * 3 < KERNEL_LIMIT / 2 ? value.length : encoder.encode(value).length;
    if (fitsVariable(name, bytes) && !value.includes('\0')) variables.push([name, value]);
    else files.push({ path: pathOf(name), variable: `${name}_FILE`, source: { bytes: encoder.encode(value) } });
  }
  const named = new Set(files.map((file) => file.variable));
  return { variables: Object.fromEntries(variables.filter(([name]) => !named.has(name))), files };
};
