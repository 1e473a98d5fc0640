// How search conditions are read from the command line, and how rows of executions are summarized.
import { describe, expect, it } from 'vitest';
import { statsOf } from '../../../src/commands/executions/executions-stats.ts';
import type { ExecutionRow } from '../../../src/commands/framework/views.ts';
import { parseWhere } from '../../../src/commands/tools/search-where.ts';

const row = (fields: Partial<ExecutionRow>): ExecutionRow => ({
  id: 'X',
  actorId: 'A',
  status: 'COMPLETE',
  messageReceivedTime: '2026-01-31T12:00:00.000Z',
  startTime: null,
  finishTime: null,
  ...fields,
});

const ran = (ms: number, exitCode = 0): ExecutionRow =>
  row({ exitCode, startTime: new Date(0).toISOString(), finishTime: new Date(ms).toISOString() });

describe('--where', () => {
  it('is a field, an operator and any value', () => {
    expect(parseWhere('actors', ['status.neq=ERROR', 'state.a=x=y', 'name='])).toEqual({
      'status.neq': 'ERROR',
      'state.a': 'x=y',
      name: '',
    });
    expect(parseWhere('logs', [])).toEqual({});
  });

  it.each([['status'], ['=x'], [' =x'], ['limit=1'], ['search=x'], ['x-nonce=y']])('%s is refused', (text) => {
    expect(() => parseWhere('actors', [text])).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it.each([
    ['actors', 'imagee=x', 'did you mean image?'],
    ['actors', 'status.neqq=ERROR', 'did you mean neq?'],
    ['executions', 'exit_cod.gt=0', 'did you mean exit_code?'],
    ['executions', 'image=x', expect.stringMatching(/^use one of id, actor_id, /)],
    ['logs', 'log=x', 'did you mean logs?'],
  ] as const)('of %s refuses %s and suggests the nearest operator', (type, text, hint) => {
    expect(() => parseWhere(type, [text])).toThrow(
      expect.objectContaining({ code: 'USAGE', extras: expect.objectContaining({ hint }) }),
    );
  });

  it.each([
    ['executions', 'exit_code.gt=0'],
    ['executions', 'message_received_time.gt=2026'],
    ['executions', 'causedBy.event=x'],
    ['executions', 'message.text.like=disk full'],
    ['actors', 'default_environment.LOG.like=x'],
    ['actors', '_links.self.like=x'],
    ['workers', 'last_execution_time.lt=2026'],
  ] as const)('of %s accepts %s', (type, text) => {
    expect(Object.keys(parseWhere(type, [text]))).toEqual([text.slice(0, text.indexOf('='))]);
  });

  it('refuses a second condition on the same field', () => {
    expect(() => parseWhere('workers', ['id=a', 'id=b'])).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('statistics', () => {
  it('count finished and failed executions, and the median and 95th percentile of their run times', () => {
    const rows = [
      ...Array.from({ length: 19 }, (_, index) => ran(index + 1)),
      ran(1_000, 3),
      row({ status: 'RUNNING' }),
    ];
    expect(statsOf('all', rows)).toEqual({
      group: 'all',
      executions: 21,
      finished: 20,
      failed: 1,
      fail_rate: 0.05,
      p50_ms: 10,
      p95_ms: 19,
    });
  });

  it('of no executions have no failure rate and no times', () => {
    expect(statsOf('all', [])).toMatchObject({ executions: 0, fail_rate: null, p50_ms: null, p95_ms: null });
  });
});
