// The object that `run` prints for programs has the fields that `--fields` allows.

import { expect, it } from 'vitest';
import { runFields, runValue } from '../../../src/commands/executions/run-report.ts';
import { settlementValue } from '../../../src/commands/executions/settle.ts';
import type { Execution } from '../../../src/commands/framework/views.ts';

it('the object of a run has exactly the fields that --fields accepts', () => {
  const time = '2026-11-23T12:00:00.000Z';
  const execution = {
    ...{ id: 'x', actorId: 'a', status: 'COMPLETE', exitCode: 3, reason: 'exited', statusMessage: 'why' },
    ...{ messageReceivedTime: time, startTime: time, finishTime: time, runtimeMs: 1 },
  } as Execution;
  const value = runValue(execution, 'text', { logs: 'line', sent: { ignored_variables: ['A'] } });
  // `run` adds the results that it takes, and the effects with --settle.
  const settlement = settlementValue({
    settled: true,
    blocked: false,
    total: 0,
    unfinished: 0,
    failures: [],
    effects: [],
  });
  expect([...Object.keys(value), 'results', ...Object.keys(settlement)]).toEqual(runFields);
});
