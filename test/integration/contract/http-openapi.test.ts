// The route that returns the OpenAPI document, and the operations that neither it nor the port has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations, serviceOperations } from '../../../src/contract/operations.ts';
import { startPlatform } from '../../support/service/platform.ts';

describe('GET /openapi.json', () => {
  let platform: Awaited<ReturnType<typeof startPlatform>>;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.close());

  it('describes every operation, with the address of the daemon, without a token', async () => {
    const answer = await platform.ask('GET', '/openapi.json');
    expect(answer.status).toBe(200);
    const document = answer.json as { openapi: string; servers: { url: string }[]; paths: object };
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: platform.baseUrl }]);
    const described = Object.values(document.paths).flatMap((methods: object) => Object.keys(methods));
    expect(described).toHaveLength(Object.keys(serviceOperations).length);
  });

  it('leaves out the operations of the owner, which the port does not have', async () => {
    const ofOwner = Object.values(operations).filter(({ guard }) => guard === 'owner');
    const statuses = ofOwner.map(async ({ method, path }) => (await platform.ask(method, path)).status);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([404]));
    const { text } = await platform.ask('GET', '/openapi.json');
    expect(ofOwner.filter(({ path }) => text.includes(path))).toEqual([]);
  });
});
