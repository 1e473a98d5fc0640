// The parser of server-sent events.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventParser } from '../../../src/client/stream.ts';

const event = (id: number, text: string): string => `id: ${id}\nevent: log\ndata: ${text}\n\n`;

describe('the event parser', () => {
  it('returns the same events for every split of the text', () => {
    const text = `: hello\r\n\r\nevent: log\r\nid: 1\r\ndata: one\r\ndata:two\r\n\r\n${event(2, 'ü')}data: {"a":1}\n\nretry: 5\nfoo: x\ndata\n\n`;
    const whole = createEventParser()(text);
    expect(whole).toEqual([
      { event: 'log', data: 'one\ntwo', id: '1' },
      { event: 'log', data: 'ü', id: '2' },
      { event: 'message', data: '{"a":1}', id: '2' },
      { event: 'message', data: '', id: '2' },
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const parse = createEventParser();
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        expect(at.slice(1).flatMap((end, index) => parse(text.slice(at[index], end)))).toEqual(whole);
      }),
    );
  });
});
