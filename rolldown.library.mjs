// The libraries of the package: one bundle that both kinds of modules load, and declarations from the schemas.
import { readFileSync } from 'node:fs';
import { tsImport } from 'tsx/esm/api';
import * as z from 'zod/mini';

const literal = (value) => JSON.stringify(value);
const union = (parts) => [...new Set(parts)].join(' | ') || 'never';

/** A JSON schema as a type. */
const typeOf = (schema) => {
  const { type, properties = {}, required = [], items, additionalProperties } = schema;
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  if (schema.allOf) return schema.allOf.map((each) => `(${typeOf(each)})`).join(' & ');
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each })));
  if (type === 'array')
    return schema.prefixItems ? `[${schema.prefixItems.map(typeOf).join(', ')}]` : `(${typeOf(items ?? {})})[]`;
  if (type === 'object') {
    const own = Object.entries(properties).map(
      ([name, each]) => `${literal(name)}${required.includes(name) ? '' : '?'}: ${typeOf(each)}`,
    );
    const isOpen = typeof additionalProperties === 'object' && additionalProperties !== null;
    if (own.length > 0 && !isOpen) return `{ ${own.join('; ')} }`;
    const open = `Record<string, ${isOpen ? typeOf(additionalProperties) : 'unknown'}>`;
    return own.length > 0 ? `{ ${own.join('; ')} } & ${open}` : open;
  }
  if (type === 'integer' || type === 'number') return 'number';
  return ['string', 'boolean', 'null'].includes(type) ? type : 'unknown';
};

const schemaOf = (schema) => z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
const camel = (word) => word.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());

/** The type of the input of a method: path parameters, query and body in one object. */
const inputOf = (operation, { params, body }) => {
  const parts = params.map((name) => `${literal(name)}: string`);
  const { properties = {}, additionalProperties } = schemaOf(operation.query);
  const isOpen = additionalProperties !== false && additionalProperties !== undefined;
  for (const [name, schema] of Object.entries(properties)) parts.push(`${literal(name)}?: ${typeOf(schema)}`);
  if (body === 'message') parts.push('message: unknown');
  const own = parts.length > 0 ? `{ ${parts.join('; ')} }` : '';
  const rest = body === 'none' || body === 'message' ? '' : `(${typeOf(schemaOf(operation.input))})`;
  const all =
    [own, rest, isOpen ? 'Record<string, unknown>' : ''].filter(Boolean).join(' & ') || 'Record<string, never>';
  const isOptional = params.length === 0 && (body === 'none' || !/[^?]: /.test(rest));
  return { type: all, isOptional };
};

const methodsOf = (operation, described) => {
  const [, verb] = operation.id.split('.').map(camel);
  const { type, isOptional } = inputOf(operation, described);
  const input = `input${isOptional ? '?' : ''}: ${type}, options?: CallOptions`;
  const result = operation.answer === 'raw' ? 'Uint8Array' : typeOf(schemaOf(operation.result));
  return [
    `    /** ${operation.summary}. */`,
    `    ${verb}(${input}): Promise<${result}>;`,
    ...(described.isStream
      ? [
          `    /** ${operation.summary}, as a stream. */`,
          `    ${verb}Stream(${input}): AsyncGenerator<StreamedEvent, void, void>;`,
        ]
      : []),
  ];
};

const declarations = async () => {
  const { serviceOperations } = await tsImport('./src/contract/operations.ts', import.meta.url);
  const { operationTable } = await tsImport('./src/contract/for-library.ts', import.meta.url);
  const { failureCodes } = await tsImport('./src/contract/failure-codes.ts', import.meta.url);
  const groups = new Map();
  for (const [id, described] of Object.entries(operationTable)) {
    const [group] = id.split('.').map(camel);
    groups.set(group, [...(groups.get(group) ?? []), ...methodsOf(serviceOperations[id], described)]);
  }
  const client = [...groups].map(([group, lines]) => [`  readonly ${group}: {`, ...lines, '  };'].join('\n'));
  return `${[
    `export type FailureCode = ${union(Object.keys(failureCodes).map(literal))};`,
    '/** A refusal of the service, or another failure. */',
    'export declare class ActorctlError extends Error {\n  readonly code: FailureCode;\n  /** HTTP status of the response, if there was one. */\n  readonly status: number | undefined;\n  /** Id of the request, if the service answered. */\n  readonly requestId: string | undefined;\n  /** What to do next. */\n  readonly hint: string | undefined;\n  readonly details: Readonly<Record<string, unknown>>;\n  private constructor();\n}',
    'export interface CallOptions {\n  readonly signal?: AbortSignal;\n  /** Time limit in milliseconds. 0: none. */\n  readonly timeoutMs?: number;\n}',
    'export interface StreamedEvent {\n  readonly event: string;\n  /** Position in the stream. */\n  readonly id: string | undefined;\n  /** Parsed from JSON. */\n  readonly data: any;\n}',
    `export interface Client {\n${client.join('\n')}\n}`,
    "export type Settlement = Awaited<ReturnType<Client['executions']['settle']>>;",
    'export interface ConnectOptions {\n  /** Address of the service. Needs `token`. Default: that of the command line. */\n  readonly baseUrl?: string;\n  readonly token?: string;\n  /** Name of a context of the command line. */\n  readonly context?: string;\n  /** Name of a local instance. */\n  readonly instance?: string;\n  /** Ends everything that waits. */\n  readonly signal?: AbortSignal;\n}',
    '/** Connects to the service of a context, of a local instance, or of an address with a token. */\nexport declare const connect: (options?: ConnectOptions) => Promise<Client>;',
  ].join('\n\n')}\n`;
};

/** Declarations for both kinds of modules, and modules that export what the bundle exports. */
export const libraryFiles = {
  name: 'library-files',
  async generateBundle() {
    const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
    const client = await declarations();
    const testing = readFileSync(new URL('src/library/public-types.ts', import.meta.url), 'utf8');
    const start =
      "\nexport { ActorctlError } from './client.js';\n\n/** Starts a platform in a folder of its own, and applies a project. */\nexport declare const startPlatform: (options?: PlatformOptions) => Promise<Platform>;\n";
    for (const kind of ['mts', 'cts']) {
      emit(`client.d.${kind}`, client);
      emit(
        `testing.d.${kind}`,
        (testing + start).replaceAll(/'\.\/client\.[jt]s'/g, `'./client.${kind.replace('ts', 'js')}'`),
      );
    }
    emit('client.mjs', "import library from './client.cjs';\nexport const { connect, ActorctlError } = library;\n");
    emit(
      'testing.mjs',
      "import library from './testing.cjs';\nexport const { startPlatform, ActorctlError } = library;\n",
    );
  },
};
