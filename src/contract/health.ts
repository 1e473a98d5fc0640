// Public information about the daemon: its health, and this contract. @see docs/protocol.md 10.2
import * as z from 'zod/mini';
import { operation } from './operation.ts';
import { nothing } from './wire.ts';

export const healthOperations = {
  'health.show': operation({
    id: 'health.show',
    method: 'GET',
    path: '/healthz',
    guard: 'public',
    body: 'none',
    answer: 'bare',
    summary: 'Check that the daemon is up',
    query: nothing,
    input: nothing,
    result: z.object({ status: z.string(), version: z.string(), instance: z.string() }),
    failures: [],
  }),
  'openapi.show': operation({
    id: 'openapi.show',
    method: 'GET',
    path: '/openapi.json',
    guard: 'public',
    body: 'none',
    answer: 'bare',
    summary: 'Get this contract as an OpenAPI 3.1 document',
    query: nothing,
    input: nothing,
    result: z.looseObject({ openapi: z.string() }),
    failures: [],
  }),
  'docs.show': operation({
    id: 'docs.show',
    method: 'GET',
    path: '/docs',
    guard: 'public',
    body: 'none',
    answer: 'page',
    summary: 'Show this contract as a web page',
    query: nothing,
    input: nothing,
    result: z.string(),
    failures: [],
  }),
} as const;
