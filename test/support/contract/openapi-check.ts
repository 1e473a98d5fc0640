// Checks every response that a test gets against the OpenAPI document of the service.
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { FAILURE_CODE_HEADER } from '../../../src/contract/failure-codes.ts';
import { openApiDocument } from '../../../src/contract/openapi.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';

/** A response. */
interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

const all: readonly Operation[] = Object.values(serviceOperations);
const document = openApiDocument(all, 'http://127.0.0.1:8722');
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'document', ...document });

const playedHosts = new Set<string>();

/**
 * Excludes the service at this origin: its handlers are played by the test, so its responses are not those of the
 * product.
 */
export const playedBy = (baseUrl: string): void => void playedHosts.add(new URL(baseUrl).host);

/** Literal segments come before parameters, as in the router. */
const rank = ({ path }: Operation): string =>
  path
    .split('/')
    .map((part) => (part.startsWith(':') ? '1' : '0'))
    .join('');

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${partsOf(path)
      .map((part) => (part.startsWith(':') ? '/[^/]+' : `/${part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`))
      .join('')}$`,
  );

/** One for each path of the contract, in the order of the router. */
const routes = [...new Set(all.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(({ path }) => path))].map(
  (path) => ({
    pattern: patternOf(path),
    operations: new Map(
      all.filter((operation) => operation.path === path).map((operation) => [operation.method, operation]),
    ),
  }),
);

/** The operation of a request, or undefined if the contract has no operation with this method and path. */
const operationOf = (method: string, path: string): Operation | undefined => {
  const normal = partsOf(path)
    .map((part) => `/${part}`)
    .join('');
  return routes.find(({ pattern }) => pattern.test(normal))?.operations.get(method as Operation['method']);
};

const pointer = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');

const validators = new Map<string, ValidateFunction>();
/** By the text of the schema: most failures of all operations have the same one. */
const compiled = new Map<string, ValidateFunction>();

const schemaAt = (parts: readonly string[]): string =>
  JSON.stringify(parts.reduce<unknown>((node, part) => Object(node)[part], document));

const validatorAt = (...parts: readonly string[]): ValidateFunction => {
  const reference = `document#/${parts.map(pointer).map(encodeURIComponent).join('/')}`;
  const known = validators.get(reference);
  if (known !== undefined) return known;
  const text = schemaAt(parts);
  const validate = compiled.get(text) ?? ajv.compile({ $ref: reference });
  compiled.set(text, validate);
  validators.set(reference, validate);
  return validate;
};

interface Described {
  readonly description: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

/**
 * The parts of a response that contradict the document. Empty if there are none, or if the document does not cover the
 * request.
 */
export const contradictions = (baseUrl: string, method: string, target: string, seen: Seen): readonly string[] => {
  const [path = '', query = ''] = target.split('?', 2);
  const operation = operationOf(method, path);
  if (operation === undefined || playedHosts.has(new URL(baseUrl).host)) return [];
  const { status, headers, json } = seen;
  const written = operation.path.replace(/:(\w+)/g, '{$1}');
  const verb = operation.method.toLowerCase();
  const responses = document.paths[written]?.[verb]?.['responses'] as Readonly<Record<string, Described>>;
  const response = responses[String(status)];
  const what = `${operation.id} ${status}`;
  if (response === undefined) return [`${what} is not in the document: ${seen.text.slice(0, 300)}`];
  const code = headers[FAILURE_CODE_HEADER];
  if (typeof code === 'string' && !response.description.split(', ').includes(code)) {
    return [`${what}: the document does not name ${code}: ${seen.text.slice(0, 300)}`];
  }
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  if (seen.text === '' && response.content === undefined) return [];
  if (response.content !== undefined && !Object.hasOwn(response.content, type)) {
    return [`${what}: the document does not name the type '${type}'`];
  }
  if (type !== 'application/json') return [];
  const naked = /(?:^|&)naked(?:=(?:true|1|yes)?)?(?:&|$)/i.test(query) && operation.answer === 'envelope';
  const place = ['paths', written, verb, 'responses', String(status), 'content', type, 'schema'];
  const validate = naked && status === 200 ? validatorAt(...place, 'properties', 'result') : validatorAt(...place);
  if (naked && status !== 200) return [];
  if (validate(json)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${what}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};
