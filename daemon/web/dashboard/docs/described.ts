// Reads from the OpenAPI document what the form of an operation needs.
import { ApiFailure } from '../api/failure.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** The only values, if there are few. */
  readonly choices: readonly string[];
}

export interface Described {
  readonly method: string;
  readonly path: string;
  readonly needsLogin: boolean;
  readonly fields: readonly Field[];
  /** Types of the body that can be typed. Empty if there is no body. */
  readonly types: readonly string[];
  /** The members that a JSON body must have, with empty values. */
  readonly body: string;
}

const TYPED = ['application/json', 'text/plain'];

const recordOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const choicesOf = ({ enum: values, type }: Json): readonly string[] =>
  type === 'boolean' ? ['true', 'false'] : listOf(values).map(String);

const EMPTY: Json = { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} };

const skeleton = ({ properties, required }: Json): string => {
  const members = recordOf(properties);
  const wanted = listOf(required).map(String);
  const values = wanted.map((name) => [name, EMPTY[String(recordOf(members[name])['type'])] ?? null]);
  return JSON.stringify(Object.fromEntries(values), null, 2);
};

const describe = (method: string, path: string, value: Json): Described => {
  const content = recordOf(recordOf(value['requestBody'])['content']);
  return {
    method: method.toUpperCase(),
    path,
    needsLogin: listOf(value['security']).length > 0,
    fields: listOf(value['parameters']).map((each) => {
      const { name, in: place, required, schema } = recordOf(each);
      return {
        name: String(name),
        place: place as Field['place'],
        required: required === true,
        choices: choicesOf(recordOf(schema)),
      };
    }),
    types: TYPED.filter((type) => type in content),
    body: skeleton(recordOf(recordOf(content['application/json'])['schema'])),
  };
};

let all: Promise<ReadonlyMap<string, Described>> | undefined;

const readAll = async (): Promise<ReadonlyMap<string, Described>> => {
  const response = await fetch('/openapi.json', { credentials: 'omit' });
  if (!response.ok) throw new ApiFailure(response.status, 'The description of the operations cannot be loaded.');
  const paths = recordOf(recordOf(await response.json())['paths']);
  return new Map(
    Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(recordOf(verbs)).map(([method, value]): [string, Described] => [
        String(recordOf(value)['operationId']),
        describe(method, path, recordOf(value)),
      ]),
    ),
  );
};

/** The operation with this id. Undefined if the daemon does not have it. */
export const describedBy = async (id: string): Promise<Described | undefined> => {
  all ??= readAll().catch((error: unknown) => {
    all = undefined;
    throw error;
  });
  return (await all).get(id);
};
