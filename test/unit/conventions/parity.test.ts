// Every operation has one route, one command and one entry in the OpenAPI document, and there are no others.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../../src/commands/framework/catalog.ts';
import { loadLeaves, loadNode } from '../../../src/commands/framework/command.ts';
import { openApiDocument } from '../../../src/contract/openapi.ts';
import { operations, type ServiceOperationId, serviceOperations } from '../../../src/contract/operations.ts';
import type { Scenarios } from '../../support/contract/every-operation.ts';
import { actorScenarios } from '../../support/scenarios/actors.ts';
import { aliasScenarios } from '../../support/scenarios/aliases.ts';
import { authorizationScenarios } from '../../support/scenarios/authorization.ts';
import { clockScenarios } from '../../support/scenarios/clock.ts';
import { configScenarios } from '../../support/scenarios/configs.ts';
import { deliveryScenarios } from '../../support/scenarios/deliveries.ts';
import { eventScenarios } from '../../support/scenarios/events.ts';
import { executionScenarios } from '../../support/scenarios/executions.ts';
import { peopleScenarios } from '../../support/scenarios/people.ts';
import { sharingScenarios } from '../../support/scenarios/sharing.ts';

const document = openApiDocument(Object.values(serviceOperations), 'http://127.0.0.1:8722');

/** The compiler reports operations without scenarios here. */
const scenarios: Scenarios<ServiceOperationId> = {
  ...actorScenarios,
  ...aliasScenarios,
  ...authorizationScenarios,
  ...clockScenarios,
  ...configScenarios,
  ...deliveryScenarios,
  ...eventScenarios,
  ...executionScenarios,
  ...peopleScenarios,
  ...sharingScenarios,
};

const filesIn = (folder: string): readonly string[] => readdirSync(new URL(folder, import.meta.url));

const WITHOUT_COMMAND = new Set([
  // Intended for programs. The command line gets it with `actorctl api openapi.json`.
  'openapi.show',
  // Used by the pages only. A login at a terminal has no browser session to end.
  'authorize.logout',
  // Called from inside a running execution only.
  'results.post',
  // Every command that sends a request to the local daemon may call it.
  'daemon.origin',
  // Called when the command line needs its client and has none.
  'daemon.client',
]);

describe('the contract', () => {
  it('has a command for every operation, and every command uses existing operations', async () => {
    const leaves = (await Promise.all(catalog.map(async (entry) => loadLeaves(await loadNode(entry))))).flat();
    const named = leaves.flatMap(({ leaf }) => leaf.operations);
    expect(named.filter((id) => !Object.hasOwn(operations, id))).toEqual([]);
    expect(
      Object.keys(operations).filter((id) => !WITHOUT_COMMAND.has(id) && !named.some((name) => name === id)),
    ).toEqual([]);
  });

  it('is documented in OpenAPI, each operation once with its parameters, security and failures', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, value]) => ({ path, method, value })),
    );
    expect(described.map(({ value }) => value['operationId']).toSorted()).toEqual(
      Object.keys(serviceOperations).toSorted(),
    );
    for (const operation of Object.values(serviceOperations)) {
      const found = described.find(({ value }) => value['operationId'] === operation.id);
      expect(found?.path).toBe(operation.path.replace(/:(\w+)/g, '{$1}'));
      expect(found?.method).toBe(operation.method.toLowerCase());
      const statuses = Object.keys((found?.value['responses'] ?? {}) as object);
      expect(statuses).toContain('200');
      if (operation.guard !== 'public') expect(statuses).toContain('401');
    }
  });

  it('leaves the operations of the owner out of OpenAPI, and names their routes apart from those of the service', () => {
    for (const [id, { guard, path }] of Object.entries(operations)) {
      const isOfService = Object.hasOwn(serviceOperations, id);
      expect([id, guard === 'owner', path.startsWith('/manage/')]).toEqual([id, !isOfService, !isOfService]);
    }
  });

  it('has only schemas that can be written as JSON Schema', () => {
    expect(JSON.parse(JSON.stringify(document))).toMatchObject({ openapi: '3.1.0' });
  });

  it('has a test of the success and of each failure of every operation', () => {
    const shown = Object.entries(scenarios).map(([id, { failures }]) => [id, Object.keys(failures).toSorted()]);
    const named = Object.values(serviceOperations).map(({ id, failures }) => [id, failures.toSorted()]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(named));
    const tables = filesIn('../../support/scenarios').filter((name) => name !== 'resources.ts');
    expect(filesIn('../../integration/contract')).toEqual(
      expect.arrayContaining(tables.map((name) => `every-operation.${name.replace('.ts', '.test.ts')}`)),
    );
  });
});
