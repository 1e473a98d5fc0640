// Scenarios for every response of the operations of the virtual clock.
import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import { until } from '../store/store-fixtures.ts';

const FROM = Date.parse('2030-01-01T00:00:00Z');

/** A request of an admin of the first tenant. */
const byAdmin =
  (path: string, json?: Readonly<Record<string, unknown>>): Scenario =>
  (service) =>
    service.ask('admin', 'POST', path, json === undefined ? {} : { json });

const onVirtual = (scenario: Scenario): Scenario => within({ virtualClock: { from: FROM } }, scenario);

/** The request is sent while a move is in progress, which does not end before the response. */
const duringMove = (path: string, json?: Readonly<Record<string, unknown>>): Scenario => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return within({ virtualClock: { from: FROM, deleteExpired: () => ended } }, async (service) => {
    const move = byAdmin('/clock/move', { by: '1h' })(service);
    await until(async () => {
      const { result } = await service.ask('admin', 'GET', '/clock');
      return (result['clock'] as { advancing: boolean }).advancing;
    });
    const answer = await byAdmin(path, json)(service);
    end();
    await move;
    return answer;
  });
};

export const clockScenarios: Scenarios<OperationsOf<'clock'>> = {
  'clock.show': { success: (service) => service.ask('ana', 'GET', '/clock'), failures: {} },
  'clock.pause': {
    success: onVirtual(byAdmin('/clock/pause')),
    failures: { OTHER_CLOCK: byAdmin('/clock/pause'), IN_USE: duringMove('/clock/pause') },
  },
  'clock.resume': {
    success: onVirtual(byAdmin('/clock/resume')),
    failures: { OTHER_CLOCK: byAdmin('/clock/resume'), IN_USE: duringMove('/clock/resume') },
  },
  'clock.move': {
    success: onVirtual(byAdmin('/clock/move', { to: '2030-02-01' })),
    failures: {
      VALIDATION: onVirtual(byAdmin('/clock/move', { to: '2029-12-31' })),
      OTHER_CLOCK: byAdmin('/clock/move', { by: '1h' }),
      IN_USE: duringMove('/clock/move', { by: '2h' }),
    },
  },
};
