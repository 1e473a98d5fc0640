// The deliberate faults of the webhook receiver, and the condition that `events wait` waits for.
import { describe, expect, it } from 'vitest';
import { eventGoalOf } from '../../../src/commands/events/event-goal.ts';
import { lineEventOf } from '../../../src/commands/events/event-view.ts';
import { type Faults, faultOf } from '../../../src/commands/events/webhooks-listen.ts';

const none: Faults = { status: undefined, failRate: undefined, drop: false };

describe('faults', () => {
  it.each<[string, Partial<Faults>, number, 'drop' | number | undefined]>([
    ['none', {}, 0, undefined],
    ['a fixed status', { status: 503 }, 0.99, 503],
    ['a fixed drop', { drop: true }, 0.99, 'drop'],
    ['a random value at the failure rate', { failRate: 0.2 }, 0.2, undefined],
    ['a random value below the failure rate', { failRate: 0.2 }, 0.19, 500],
    ['a failure rate with a status', { failRate: 1, status: 418 }, 0.5, 418],
    ['a failure rate of 0', { failRate: 0, drop: true }, 0, undefined],
    ['a failure rate with drop', { failRate: 0.5, drop: true, status: 503 }, 0.1, 'drop'],
  ])('%s', (_name, faults, dice, fault) => {
    expect(faultOf({ ...none, ...faults }, dice)).toBe(fault);
  });
});

describe('the condition of a wait', () => {
  it('is an event type, or an expression that is true for the event', async () => {
    const event = { event_type: 'EXECUTION_COMPLETE', exit_code: 3 };
    expect((await eventGoalOf('EXECUTION_COMPLETE')).reached(event)).toBe(true);
    expect((await eventGoalOf('ACTOR_READY')).reached(event)).toBe(false);
    expect((await eventGoalOf('.exit_code == 3')).reached(event)).toBe(true);
    expect((await eventGoalOf('.nothing')).reached(event)).toBe(false);
    expect((await eventGoalOf('EXECUTION_COMPLETE')).reached(undefined)).toBe(false);
    await expect(eventGoalOf('.exit_code ==')).rejects.toThrow();
  });
});

describe('a posted body', () => {
  it('is an event only if it has an actor, a type and a time', () => {
    const posted = { actor_id: 'A', event_type: 'X', event_time_display: '2026-11-21T12:00:00.000Z', exit_code: '3' };
    expect(lineEventOf(posted, '7')).toEqual({ id: '7', ...posted, exit_code: undefined });
    expect(lineEventOf({ ...posted, event_time_display: 'yesterday' }, '7')).toBeUndefined();
    for (const other of [undefined, null, 'text', 7, [], { actor_id: 7 }]) {
      expect(lineEventOf(other, '7')).toBeUndefined();
    }
  });
});
