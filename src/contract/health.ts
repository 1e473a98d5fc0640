// Whether the daemon is up; anybody may ask. @see wire.md "Addresses"
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
    summary: 'Says that the daemon is up.',
    query: nothing,
    input: nothing,
    result: z.object({ status: z.string(), version: z.string(), instance: z.string() }),
    failures: [],
  }),
} as const;
