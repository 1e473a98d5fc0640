// The API contract: its failures all have an HTTP status, and each operation has its own method and path.
import { describe, expect, it } from 'vitest';
import { failureCodes } from '../../../src/contract/failure-codes.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/contract/operations.ts';

describe('the contract', () => {
  it('has every operation under its own id', () => {
    for (const [id, operation] of Object.entries(operations)) expect(operation.id).toBe(id);
  });

  it('has no two operations with the same method and path', () => {
    const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('uses only known failures, each with an HTTP status', () => {
    for (const operation of Object.values(operations)) {
      for (const code of operation.failures) expect(failureCodes[code].status).toBeGreaterThanOrEqual(400);
    }
  });

  it('summarizes every operation in the imperative, in less than 60 characters, without semicolon and full stop', () => {
    for (const { id, summary, description } of Object.values<Operation>(operations)) {
      // A verb in the third person ends with s.
      expect(`${id}: ${summary}`).toMatch(/: [A-Z][a-z]*[a-rt-z] /);
      expect(summary.length).toBeLessThan(60);
      expect(summary).not.toMatch(/;|\.$/);
      if (description !== undefined) expect(`${id}: ${description}`).toMatch(/^[^;]+\.$/);
    }
  });
});
