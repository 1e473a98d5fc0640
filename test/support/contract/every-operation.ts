// Tests every operation with scenarios: one request that succeeds, and one for each of its failures.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/contract/dialect.ts';
import { FAILURE_CODE_HEADER, type FailureCode, failureCodes } from '../../../src/contract/failure-codes.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import {
  type OperationId,
  type Operations,
  operations,
  type ServiceOperationId,
} from '../../../src/contract/operations.ts';
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
export type OperationsOf<Resource extends string> = Extract<ServiceOperationId, `${Resource}.${string}`>;

type Settings = Parameters<typeof startActorService>[0];

/** A scenario in a separate service with its own settings, at the same listener. */
export const within =
  (settings: Settings, scenario: Scenario): Scenario =>
  async ({ dialect }) => {
    const service = await startActorService(settings);
    try {
      return await scenario(dialect === 'legacy' ? await service.atLegacy() : service);
    } finally {
      await service.close();
    }
  };

/** Longer than the service remembers failed logins and wrong nonces. */
const LATER_MS = 30 * 60_000;

/** A page also succeeds with a redirect. */
const isSuccess = ({ status }: Answer, { answer }: Operation): boolean =>
  status === 200 || (answer === 'page' && status === 303);

/** The listener for programs of the hosted platform has no 403 and no 409. @see docs/legacy.md#differences-between-the-listeners */
const statusOf = (code: FailureCode, dialect: Dialect): number => {
  const { status } = failureCodes[code];
  return dialect === 'legacy' && (status === 403 || status === 409) ? 400 : status;
};

const expectFailure = (
  { status, headers, text }: Answer,
  { answer }: Operation,
  code: FailureCode,
  dialect: Dialect,
): void => {
  expect(status, text).toBe(statusOf(code, dialect));
  // A form that is shown again is a page with an error status, without a failure code.
  if (answer !== 'page' || headers[FAILURE_CODE_HEADER] !== undefined) expect(headers[FAILURE_CODE_HEADER]).toBe(code);
};

/** Runs the scenarios of some operations against one listener of one service. */
export const showEveryAnswer = <Id extends OperationId>(
  scenarios: Scenarios<Id>,
  dialect: Dialect = 'modern',
): void => {
  let service: ActorService;
  beforeAll(async () => {
    const started = await startActorService();
    service = dialect === 'legacy' ? await started.atLegacy() : started;
  });
  afterAll(() => service.close());

  const listed = Object.entries<{ success: Scenario; failures: Readonly<Record<string, Scenario>> }>(scenarios);
  describe.each(listed.map(([id, { success, failures }]) => ({ id: id as Id, success, failures })))('$id', (each) => {
    const operation: Operation = operations[each.id];

    it('succeeds', async () => {
      service.advance(LATER_MS);
      const answer = await each.success(service);
      expect(isSuccess(answer, operation), `${answer.status} ${answer.text}`).toBe(true);
    });

    const failures = Object.entries(each.failures) as [FailureCode, Scenario][];
    it.each(failures)('fails with %s', async (code, scenario) => {
      service.advance(LATER_MS);
      expectFailure(await scenario(service), operation, code, dialect);
    });
  });
};
