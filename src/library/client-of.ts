// The client of the libraries: a method for each operation, over the requests of the command line.

import { pathOf, refusalOf } from '../client/call.ts';
import { readBody } from '../client/transport.ts';
import type { CommandContext } from '../context.ts';
import { exactText, parseExact } from '../contract/exact-json.ts';
import { type Route, routes } from '../contract/for-client.ts';
import { type Described, operationTable } from '../contract/for-library.ts';
import type { ServiceOperationId } from '../contract/operations.ts';
import { asError, inErrors } from './actorctl-error.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds. 0: none. */
  readonly timeoutMs?: number;
}

export interface StreamedEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** The methods by group. The declarations of the package have their types, which the build derives from the schemas. */
export type Client = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

type Input = Readonly<Record<string, unknown>>;
type Asker = Pick<CommandContext, 'call' | 'stream' | 'request'>;

/** `alias-permissions` → `aliasPermissions`. */
const camel = (word: string): string => word.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const messageOf = (message: unknown) => {
  if (typeof message === 'string') return { bytes: Buffer.from(message), headers: { 'content-type': 'text/plain' } };
  if (message instanceof Uint8Array) return { bytes: message, headers: { 'content-type': 'application/octet-stream' } };
  return { bytes: Buffer.from(exactText(message) ?? 'null'), headers: { 'content-type': 'application/json' } };
};

/** Splits an input into path parameters, query parameters and body. */
const partsOf = ({ params, query, body }: Described, input: Input) => {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined);
  const isParam = ([name]: readonly [string, unknown]) => params.includes(name);
  const isMessage = ([name]: readonly [string, unknown]) => body === 'message' && name === 'message';
  const isQuery = (entry: readonly [string, unknown]) =>
    body === 'none' || body === 'message' || query.includes(entry[0]);
  const rest = entries.filter((entry) => !isParam(entry) && !isMessage(entry));
  const fields = rest.filter((entry) => !isQuery(entry));
  const bodyFields = Object.fromEntries(fields);
  return {
    params: Object.fromEntries(entries.filter(isParam).map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries(rest.filter(isQuery)) as Record<string, string>,
    ...(body === 'form' && { form: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])) }),
    ...((body === 'json' || body === 'form-or-json') && { body: bodyFields }),
    ...(body === 'message' && messageOf(input['message'])),
  };
};

const methodOf =
  (context: Asker, id: ServiceOperationId, described: Described) =>
  (input: Input = {}, options: CallOptions = {}): Promise<unknown> =>
    inErrors(async () => {
      const route: Route = routes[id];
      const parts = partsOf(described, input);
      if (route.answer !== 'raw') return context.call(id, { ...parts, ...options });
      const { params, query } = parts;
      const answer = await context.request({ method: route.method, path: pathOf(route, params), query, ...options });
      const bytes = await readBody(answer);
      if (answer.status > 299) throw refusalOf('bearer', answer, bytes.toString('utf8'));
      return new Uint8Array(bytes);
    });

/** The JSON value of an event. A position of the stream is no JSON. */
const jsonOf = (data: string): unknown => {
  try {
    return parseExact(data);
  } catch {
    return data;
  }
};

const NONE: Described = { params: [], query: [], body: 'none', isStream: false };

export const streamOf = (context: Asker, id: ServiceOperationId, described = operationTable[id] ?? NONE) =>
  async function* (input: Input = {}, { signal }: CallOptions = {}): AsyncGenerator<StreamedEvent, void, void> {
    const { params, query } = partsOf(described, input);
    try {
      for await (const { event, id: position, data } of context.stream(id, {
        params,
        query,
        until: 'end',
        ...(signal && { signal }),
      })) {
        if (event === 'end') return;
        yield { event, id: position, data: jsonOf(data) };
      }
    } catch (error) {
      throw asError(error);
    }
  };

/** The methods by group: `client.actors.create`. A streaming operation has a second method: `events.listStream`. */
export const clientOf = (context: Asker): Client => {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [id, described] of Object.entries(operationTable)) {
    const [group = '', verb = ''] = id.split('.').map(camel);
    const methods = client[group] ?? {};
    client[group] = methods;
    methods[verb] = methodOf(context, id as ServiceOperationId, described);
    if (described.isStream) methods[`${verb}Stream`] = streamOf(context, id as ServiceOperationId, described);
  }
  return client;
};
