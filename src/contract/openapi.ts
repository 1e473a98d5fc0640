// Generates the OpenAPI 3.1 document from the operations, so that the document cannot differ from the API.
import * as z from 'zod/mini';
import { SERVICE_VERSION } from './envelope.ts';
import { type FailureCode, failureCodes } from './failure-codes.ts';
import {
  ACTOR_NAME_HEADER,
  type Guard,
  NONCE_PARAMETER,
  type Operation,
  parameterNames,
  takesActorName,
  takesNonce,
} from './operation.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json;
}

const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

/** Failures that every route may return. */
const anywhere = [
  'VALIDATION',
  'MISDIRECTED',
  'INTERNAL',
  'STORE_UNAVAILABLE',
  'OVERLOADED',
  'STARTING',
  'SHUTTING_DOWN',
] as const;

/** All failures of an operation: those that it lists, plus those of its guard and its kind of body. */
const failuresOf = ({ guard, path, body, failures }: Operation): readonly FailureCode[] => {
  const codes = new Set<FailureCode>([...failures, ...anywhere]);
  const add = (...more: readonly FailureCode[]) => {
    for (const code of more) codes.add(code);
  };
  // An execution token is refused by every operation outside its access level.
  if (guard !== 'public') add('AUTH_REQUIRED', 'AUTH_FAILED', 'TOKEN_EXPIRED', 'FORBIDDEN');
  if (guard === 'basic-or-caller') add('THROTTLED');
  if (parameterNames(path).length > 0) add('NOT_FOUND');
  if (takesNonce(guard)) add('THROTTLED');
  if (body !== 'none') add('MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...codes];
};

const securityOf = (guard: Guard): readonly Json[] => {
  if (guard === 'public') return [];
  if (takesNonce(guard)) return [{ bearer: [] }, { nonce: [] }];
  return guard === 'basic-or-caller' ? [{ bearer: [] }, { basic: [] }] : [{ bearer: [] }];
};

const MEDIA_TYPES: Readonly<Record<Operation['body'], readonly string[]>> = {
  none: [],
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  'form-or-json': ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  message: [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain',
    'application/octet-stream',
  ],
};

const envelopeOf = (result: Json): Json => ({
  type: 'object',
  required: ['message', 'result', 'status', 'version'],
  properties: {
    message: { type: 'string' },
    result,
    status: { type: 'string', enum: ['success', 'error'] },
    version: { type: 'string' },
  },
});

const actorNameParameter: Json = {
  name: ACTOR_NAME_HEADER,
  in: 'header',
  required: false,
  description:
    'With `true`, the path may contain an actor name instead of an id. The name must belong to exactly one actor that you own. If you own none with that name, it must belong to exactly one actor that you may read. With `own`, the actor must be yours.',
  schema: { type: 'string', enum: ['true', 'own'] },
};

const parametersOf = ({ path, query, guard }: Operation): readonly Json[] => {
  const { properties = {} } = schemaOf(query, 'input') as { readonly properties?: Json };
  return [
    ...parameterNames(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ...(takesActorName(guard) ? [actorNameParameter] : []),
  ];
};

const operationObject = (operation: Operation): Json => {
  const {
    id,
    summary,
    description,
    body,
    answer,
    guard,
    input,
    result,
    found,
    media: others = [],
    redirects,
  } = operation;
  const media = MEDIA_TYPES[body];
  const success = found
    ? { anyOf: [schemaOf(result, 'output'), schemaOf(found, 'output')] }
    : schemaOf(result, 'output');
  const byStatus = new Map<number, string[]>();
  for (const code of failuresOf(operation)) {
    const { status } = failureCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const written = answer === 'page' ? 'text/html' : 'application/json';
  const failure =
    answer === 'page'
      ? { type: 'string' }
      : answer === 'bare'
        ? { type: 'object' }
        : { $ref: '#/components/schemas/Failure' };
  const failures = [...byStatus].map(([status, codes]) => [
    String(status),
    { description: codes.join(', '), content: { [written]: { schema: failure } } },
  ]);
  return {
    operationId: id,
    summary,
    description,
    tags: [id.slice(0, id.indexOf('.'))],
    security: securityOf(guard),
    parameters: parametersOf(operation),
    ...(media.length > 0 && {
      requestBody: {
        required: body !== 'message',
        content: Object.fromEntries(media.map((type) => [type, { schema: schemaOf(input, 'input') }])),
      },
    }),
    responses: {
      200: {
        description: 'Done.',
        content: {
          ...(answer !== 'raw' && { [written]: { schema: answer === 'envelope' ? envelopeOf(success) : success } }),
          ...Object.fromEntries(others.map((type) => [type, { schema: { type: 'string' } }])),
        },
      },
      ...(redirects && { 303: { description: 'Redirects to the address in the header Location.' } }),
      ...Object.fromEntries(failures),
    },
  };
};

/** @param origin without a trailing slash @see https://spec.openapis.org/oas/v3.1.0 */
export const openApiDocument = (operations: Iterable<Operation>, origin: string): OpenApiDocument => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Authorization and actor service', version: SERVICE_VERSION },
    servers: [{ url: origin }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
        nonce: { type: 'apiKey', in: 'query', name: NONCE_PARAMETER },
      },
      schemas: { Failure: envelopeOf({ type: 'null' }) },
    },
  };
};
