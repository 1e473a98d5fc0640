// The last part of an output: its limits in bytes and pieces, gaps, and characters.
import { describe, expect, it } from 'vitest';
import { createOutputTail, type OutputPiece, TAIL_BYTES } from '../../../daemon/domain/executions/output-tail.ts';

const piece = (text: string, time = 0, stream: OutputPiece['stream'] = 'stdout'): OutputPiece => ({
  stream,
  time,
  data: Buffer.from(text),
});
const textOf = (pieces: readonly OutputPiece[]): string => Buffer.concat(pieces.map(({ data }) => data)).toString();

describe('the tail of an output', () => {
  it('has all pieces with their times and streams while they fit', () => {
    const tail = createOutputTail();
    const given = [piece('a', 1), piece('b', 2, 'stderr'), piece('c'.repeat(TAIL_BYTES - 2), 3)];
    for (const each of given) tail.add(each);
    const { pieces, leftOut } = tail.end();
    expect(pieces.map(({ time, stream }) => [time, stream])).toEqual(given.map(({ time, stream }) => [time, stream]));
    expect([textOf(pieces) === textOf(given), leftOut]).toEqual([true, 0]);
  });

  it.each([1, 1_000, TAIL_BYTES - 1, TAIL_BYTES + 1])('has the last 256 KiB of pieces of %i bytes', (size) => {
    const tail = createOutputTail();
    const text = Array.from({ length: Math.ceil((2 * TAIL_BYTES) / size) }, (_, n) => String(n % 10).repeat(size));
    for (const [time, each] of text.entries()) tail.add(piece(each, time));
    const { pieces, leftOut } = tail.end();
    const all = text.join('');
    const retained = textOf(pieces);
    expect(all.endsWith(retained)).toBe(true);
    // Tiny pieces are limited in number, because each needs memory of its own.
    expect(retained.length).toBe(size === 1 ? 8_192 : TAIL_BYTES);
    expect(leftOut).toBe(all.length - retained.length);
  });

  it('begins with a whole character on each stream, and counts the bytes before', () => {
    const tail = createOutputTail();
    const [first, second] = [Buffer.from('€'), Buffer.from('😀')];
    tail.add(piece('lost'));
    tail.skip(100);
    tail.add({ stream: 'stdout', time: 0, data: first.subarray(1) });
    tail.add({ stream: 'stderr', time: 0, data: Buffer.concat([second.subarray(3), Buffer.from('e')]) });
    tail.add(piece('o'));
    tail.add({ stream: 'stdout', time: 0, data: first.subarray(0, 1) });
    tail.add({ stream: 'stdout', time: 0, data: first.subarray(1) });
    const { pieces, leftOut } = tail.end();
    expect([textOf(pieces), leftOut]).toEqual(['eo€', 4 + 100 + 2 + 1]);
  });
});
