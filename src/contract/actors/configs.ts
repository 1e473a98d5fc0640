// Configs: values shared with actors. @see docs/http-api.md#configs
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, nothing, text, time } from '../wire.ts';

/** Largest size of a value as JSON text, in bytes. */
export const CONFIG_VALUE_LIMIT = 512 * 1024;

const configDescription = z.object({
  name: text(1_024),
  /**
   * Any JSON value, stored as sent. The service requires it; the schema makes it optional because null is a valid
   * value.
   */
  value: z.optional(z.unknown()),
  /** Ids and aliases of actors, comma-separated; may be empty. */
  actors: text(),
  is_secret: formBoolean,
});

export const config = z.object({
  name: z.string(),
  /** For a secret config, the encrypted text. If a client sends this text back, the secret stays unchanged. */
  value: z.unknown(),
  actors: z.string(),
  isSecret: z.boolean(),
  /** Same value as `isSecret`: the specification uses both names. @see docs/http-api.md#configs */
  is_secret: z.boolean(),
  owner: z.string(),
  /** Starts at 1 and grows by 1 with each replacement. */
  revision: z.number(),
  createTime: time,
  lastUpdateTime: time,
});

export const configOperations = {
  'configs.create': operation({
    id: 'configs.create',
    method: 'POST',
    path: '/actors/v2/configs',
    guard: 'caller',
    body: 'json',
    answer: 'envelope',
    summary: 'Create a config and share it with actors',
    description: 'Requires UPDATE on each listed actor.',
    query: nothing,
    input: configDescription,
    result: config,
    failures: ['VALIDATION', 'MALFORMED_BODY', 'FORBIDDEN', 'NOT_FOUND', 'ALREADY_EXISTS', 'QUOTA_EXCEEDED'],
  }),
  'configs.list': operation({
    id: 'configs.list',
    method: 'GET',
    path: '/actors/v2/configs',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List the configs that the caller may read',
    query: nothing,
    input: nothing,
    result: z.array(config),
    failures: [],
  }),
  'configs.show': operation({
    id: 'configs.show',
    method: 'GET',
    path: '/actors/v2/configs/:configName',
    guard: 'config:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a config',
    description: 'The value of a secret config is encrypted.',
    query: nothing,
    input: nothing,
    result: config,
    failures: ['NOT_FOUND'],
  }),
  'configs.update': operation({
    id: 'configs.update',
    method: 'PUT',
    path: '/actors/v2/configs/:configName',
    guard: 'config:UPDATE',
    body: 'json',
    answer: 'envelope',
    summary: 'Replace a config',
    description: 'Executions that start after the change get the new value.',
    query: nothing,
    input: configDescription,
    result: config,
    failures: ['VALIDATION', 'MALFORMED_BODY', 'FORBIDDEN', 'NOT_FOUND', 'STALE_VERSION'],
  }),
  'configs.delete': operation({
    id: 'configs.delete',
    method: 'DELETE',
    path: '/actors/v2/configs/:configName',
    guard: 'config:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete a config',
    query: nothing,
    input: nothing,
    result: z.null(),
    failures: ['FORBIDDEN', 'NOT_FOUND'],
  }),
} as const;
