// Tests every operation with scenarios: one request that succeeds, and one for each of its failures.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILURE_CODE_HEADER, type FailureCode, failureCodes } from '../../../src/contract/failure-codes.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { type OperationId, type Operations, operations } from '../../../src/contract/operations.ts';
import { type ActorService, startActorService } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';

/** Leads to one response of the operation. */
export type Scenario = (service: ActorService) => Promise<Answer>;

/** All responses of some operations. The compiler reports missing and unknown ones. */
export type Scenarios<Id extends OperationId> = {
  readonly [I in Id]: {
    readonly success: Scenario;
    readonly failures: { readonly [Code in Operations[I]['failures'][number]]: Scenario };
  };
};

/** The operations of some resources. */
export type OperationsOf<Resource extends string> = Extract<OperationId, `${Resource}.${string}`>;

type Settings = Parameters<typeof startActorService>[0];

/** A scenario in a separate service with its own settings. */
export const within =
  (settings: Settings, scenario: Scenario): Scenario =>
  async () => {
    const service = await startActorService(settings);
    try {
      return await scenario(service);
    } finally {
      await service.close();
    }
  };

/** Longer than the service remembers failed logins and wrong nonces. */
const LATER_MS = 30 * 60_000;

/** A page also succeeds with a redirect. */
const isSuccess = ({ status }: Answer, { answer }: Operation): boolean =>
  status === 200 || (answer === 'page' && status === 303);

const expectFailure = ({ status, headers, text }: Answer, { answer }: Operation, code: FailureCode): void => {
  expect(status, text).toBe(failureCodes[code].status);
  // A form that is shown again is a page with an error status, without a failure code.
  if (answer !== 'page' || headers[FAILURE_CODE_HEADER] !== undefined) expect(headers[FAILURE_CODE_HEADER]).toBe(code);
};

/** Runs the scenarios of some operations against one service. */
export const showEveryAnswer = <Id extends OperationId>(scenarios: Scenarios<Id>): void => {
  let service: ActorService;
  beforeAll(async () => {
    service = await startActorService();
  });
  afterAll(() => service.close());

  const told = Object.entries<{ success: Scenario; failures: Readonly<Record<string, Scenario>> }>(scenarios);
  describe.each(told.map(([id, { success, failures }]) => ({ id: id as Id, success, failures })))('$id', (each) => {
    const operation: Operation = operations[each.id];

    it('succeeds', async () => {
      service.advance(LATER_MS);
      const answer = await each.success(service);
      expect(isSuccess(answer, operation), `${answer.status} ${answer.text}`).toBe(true);
    });

    const failures = Object.entries(each.failures) as [FailureCode, Scenario][];
    it.each(failures)('fails with %s', async (code, scenario) => {
      service.advance(LATER_MS);
      expectFailure(await scenario(service), operation, code);
    });
  });
};
