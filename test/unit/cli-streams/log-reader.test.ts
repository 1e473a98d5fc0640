// Log lines, assembled from the chunks of a log.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineJoiner, type LogPiece } from '../../../src/commands/executions/logs/log-reader.ts';
import { lastLines } from '../../../src/commands/executions/run-report.ts';

describe('log lines', () => {
  const piece = (text: string, stream: LogPiece['stream'] = 'stdout', cursor = '1'): LogPiece => ({
    text,
    stream,
    cursor,
    time: `t${cursor}`,
    old: true,
  });
  it('are assembled per stream, with the time of their start and the cursor of their end', () => {
    const joiner = createLineJoiner();
    expect(joiner.take(piece('a', 'stdout', '1'))).toEqual([]);
    expect(joiner.take(piece('E\n', 'stderr', '2'))).toEqual([{ ...piece('E', 'stderr', '2') }]);
    expect(
      joiner.take(piece('b\r\nc\n\nd', 'stdout', '3')).map(({ text, time, cursor }) => [text, time, cursor]),
    ).toEqual([
      ['ab', 't1', '3'],
      ['c', 't3', '3'],
      ['', 't3', '3'],
    ]);
    expect(joiner.rest().map(({ text, time }) => [text, time])).toEqual([['d', 't3']]);
    expect(joiner.rest()).toEqual([]);
  });
  it('are the same for every split of the text', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab\n]{0,5}$/)), (parts) => {
        const joiner = createLineJoiner();
        const lines = [...parts.flatMap((part) => joiner.take(piece(part))), ...joiner.rest()].map(({ text }) => text);
        const whole = parts.join('').split('\n');
        if (whole.at(-1) === '') whole.pop();
        expect(lines).toEqual(whole);
      }),
    );
  });
  it('get a line end if the last line lacks it', () => {
    expect([lastLines('a\nb\nc', 2), lastLines('a\nb\n', 1), lastLines('', 3)]).toEqual(['b\nc\n', 'b\n', '']);
  });
});
