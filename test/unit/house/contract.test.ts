// The table of failures is whole, and every operation stands by itself.
import { describe, expect, it } from 'vitest';
import { failureCodes } from '../../../src/contract/failure-codes.ts';
import { operations } from '../../../src/contract/operations.ts';

describe('the contract', () => {
  it('names every operation by its key', () => {
    for (const [id, operation] of Object.entries(operations)) expect(operation.id).toBe(id);
  });

  it('has no two operations on one method and path', () => {
    const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('names only failures that the table knows, each with an HTTP status', () => {
    for (const operation of Object.values(operations)) {
      for (const code of operation.failures) expect(failureCodes[code].status).toBeGreaterThanOrEqual(400);
    }
  });
});
