// Secrets in output are replaced however the output is cut.
import { describe, expect, it } from 'vitest';
import { maskOf } from '../../../daemon/domain/executions/mask.ts';

const SECRET = 'käse-and-🐎-42';
const masked = (pieces: readonly Uint8Array[], values: readonly unknown[] = [SECRET]): Buffer => {
  const stream = maskOf(values.map((value) => JSON.stringify(value)))?.();
  if (stream === undefined) return Buffer.concat(pieces);
  return Buffer.concat([...pieces.map((piece) => stream.write(piece)), stream.end()]);
};
const text = (output: string, values?: readonly unknown[]): string => String(masked([Buffer.from(output)], values));
const bytewise = (output: Uint8Array, values?: readonly unknown[]): Buffer =>
  masked(
    [...output].map((byte) => Uint8Array.of(byte)),
    values,
  );

describe('a mask', () => {
  const ends = ['\n', '\r\n', ''];
  it.each(ends)('replaces a secret that is cut at every position, before the line end %j', (end) => {
    // Half of a character on both sides, which is no part of the secret.
    const output = Buffer.concat([Buffer.from([0xc3]), Buffer.from(`a ${SECRET}${end}`), Buffer.from([0xf0, 0x9f])]);
    const expected = Buffer.concat([Buffer.from([0xc3]), Buffer.from(`a ***${end}`), Buffer.from([0xf0, 0x9f])]);
    for (let cut = 0; cut <= output.length; cut += 1)
      for (const second of [cut, cut + 1, output.length])
        expect(masked([output.subarray(0, cut), output.subarray(cut, second), output.subarray(second)])).toEqual(
          expected,
        );
    expect(bytewise(output)).toEqual(expected);
  });

  it('replaces every occurrence, also one behind a false start', () => {
    const start = SECRET.slice(0, 5);
    expect(text(`${SECRET}, ${start}${SECRET} ${start} ${SECRET}`)).toBe(`***, ${start}*** ${start} ***`);
  });

  it('replaces secrets that overlap, contain each other, or touch as one', () => {
    const values = ['abcdefgh', 'efghijkl', 'xefghijkly', 'aaaaaaaa'];
    for (const [output, expected] of [
      ['-abcdefghijkl-', '-***-'],
      ['-xefghijkly-', '-***-'],
      ['-xefghijklz-', '-x***z-'],
      ['abcdefghabcdefgh', '***'],
      ['aaaaaaaaaaaaaaaaaaaaab', '***b'],
      ['aaaaaaa', 'aaaaaaa'],
    ] as const)
      expect([text(output, values), String(bytewise(Buffer.from(output), values))]).toEqual([expected, expected]);
  });

  it('replaces each string inside of a value, and no name, number or short text', () => {
    const value = {
      'name-of-key': 'value-of-key',
      list: ['first-item', { deep: 'deep-secret' }],
      short: '1234567',
      n: 12345678,
    };
    const output = 'name-of-key value-of-key first-item deep-secret 1234567 12345678';
    expect(text(output, [value])).toBe('name-of-key *** *** *** 1234567 12345678');
    expect(text('hello', [{ short: '1234567' }])).toBe('hello');
    expect(maskOf(['"1234567"', '12345678', 'null'])).toBeUndefined();
  });

  it('replaces a secret as it is written in JSON', () => {
    const value = 'say "hi"\tnow';
    expect(text(`{"k":${JSON.stringify(value)}} ${value}`, [value])).toBe('{"k":"***"} ***');
    const written = maskOf(['"\\u0061bcdefgh"'])?.().write(Buffer.from('\\u0061bcdefgh abcdefgh.'));
    expect(Buffer.from(written ?? []).toString()).toBe('*** ***.');
  });

  it('replaces a secret of several lines with any line ends, and each of its long lines alone', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n-----END KEY-----\n';
    for (const end of ['\n', '\r\n']) expect(text(`>${key.replaceAll('\n', end)}<`, [key])).toBe('>***<');
    expect(text('line 2: MIIEvQIBADANBg\nshort\n', [key])).toBe('line 2: ***\nshort\n');
    expect(text('>one-line-1\r\none-line-2<', ['one-line-1\r\none-line-2'])).toBe('>***<');
  });

  it('holds back only what may be the start of a secret', () => {
    const stream = maskOf(['"abcdefgh"'])?.();
    const write = (output: string) => Buffer.from(stream?.write(Buffer.from(output)) ?? []).toString();
    expect([write('xyz'), write('ab'), write('cd'), write('!'), write('abcdefg'), write('h')]).toEqual([
      'xyz',
      '',
      '',
      'abcd!',
      '',
      '***',
    ]);
  });

  it('replaces the start of a secret that is cut off, if it is long', () => {
    expect(text('password: abcdefghij', ['abcdefghijklmnop'])).toBe('password: ***');
    expect(text('password: abcdefg', ['abcdefghijklmnop'])).toBe('password: abcdefg');
  });

  it('takes linear time for texts that are made to be slow', () => {
    const secret = 'a'.repeat(50_000);
    const almost = Buffer.from(`${'a'.repeat(49_999)}b`.repeat(20));
    expect(masked([almost], [secret]).equals(almost)).toBe(true);
    expect(text(secret, [secret])).toBe('***');
  });
});
