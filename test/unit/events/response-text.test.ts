// What a delivery retains of a response: a bounded begin of its text, without secrets.
import { describe, expect, it } from 'vitest';
import { RESPONSE_READ, shownResponse } from '../../../daemon/domain/events/response-text.ts';

const URL = 'https://hooks.example/services/T0123456789abcdefKey?key=s3cr%20et&n=1';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (text: string, isCut = false) => shownResponse({ bytes: bytes(text), isCut }, URL);

describe('a retained response', () => {
  it('has the type and the text, if it is UTF-8', () => {
    expect(shownResponse({ type: 'text/plain', bytes: bytes('ok ü'), isCut: false }, URL)).toEqual({
      type: 'text/plain',
      text: 'ok ü',
    });
    expect(shownResponse({ bytes: Uint8Array.of(0xff, 0xfe, 0), isCut: false }, URL)).toEqual({});
  });

  it.each([
    ['the path /services/T0123456789abcdefKey is closed', 'the path /services/*** is closed'],
    ['?key=s3cr%20et', '?key=***'],
    ['the key "s3cr et" is unknown', 'the key "***" is unknown'],
    ['{"access_token": "abc.def", "n": 1}', '{"access_token": "***", "n": 1}'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['password=hunter22&next=/', 'password=***&next=/'],
    ['{"apiKey":"abcdef"}', '{"apiKey":"***"}'],
    ['the token is too old', 'the token is too old'],
  ])('shows %j as %j', (text, shown) => {
    expect(textOf(text)).toEqual({ text: shown });
  });

  it('ends after 4096 characters, and never within a secret', () => {
    expect(textOf('x'.repeat(5_000))).toEqual({ text: 'x'.repeat(4_096), isCut: true });
    expect(textOf('x'.repeat(4_096))).toEqual({ text: 'x'.repeat(4_096) });
    expect(textOf('x', true)).toEqual({ text: 'x', isCut: true });
    expect(textOf(`${'x'.repeat(4_090)}T0123456789abcdefKey and more`)).toEqual({
      text: `${'x'.repeat(4_090)}***`,
      isCut: true,
    });
  });

  it('leaves out a character that the limit of the read cuts through', () => {
    const cut = bytes('ü'.repeat(RESPONSE_READ)).subarray(0, RESPONSE_READ - 1);
    expect(shownResponse({ bytes: cut, isCut: true }, URL).text).toMatch(/^ü+$/);
  });
});
