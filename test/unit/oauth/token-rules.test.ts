// The lifetime of tokens, and the single scope.
import { describe, expect, it } from 'vitest';
import { grantedScope } from '../../../daemon/domain/oauth/scope.ts';
import { isValid, tokenLifetime } from '../../../daemon/domain/oauth/token-lifetime.ts';
import { tokenRecord } from '../../support/service/records.ts';

describe('R38 the lifetime of a token', () => {
  it('is four hours, and one hour in the implicit flow', () => {
    for (const flow of ['authorization_code', 'password', 'client_credentials'] as const) {
      expect(tokenLifetime({}, flow)).toBe(14_400);
    }
    expect(tokenLifetime({}, 'implicit')).toBe(3_600);
  });

  it.each([
    [60, 60],
    [14_400, 14_400],
    [14_401, 14_400],
    [0, 1],
    [-5, 1],
    [1.9, 1],
    [Number.POSITIVE_INFINITY, 14_400],
    [Number.NaN, 14_400],
  ])('is capped: a tenant setting of %d gives %d', (wanted, seconds) => {
    expect(tokenLifetime({ password: wanted }, 'password')).toBe(seconds);
  });

  it.each([
    [60, 60],
    [3_600, 3_600],
    [3_601, 3_600],
    [14_400, 3_600],
  ])('R26 is at most an hour in the implicit flow: a tenant setting of %d gives %d', (wanted, seconds) => {
    expect(tokenLifetime({ implicit: wanted }, 'implicit')).toBe(seconds);
  });
});

describe('a token', () => {
  it.each([
    [{}, true],
    [{ expiresAt: 1_001 }, true],
    [{ expiresAt: 1_000 }, false],
    [{ usedAt: 999 }, false],
    [{ usedAt: 999, expiresAt: 1_001 }, false],
  ])('with %j is valid: %j', (changes, valid) => {
    expect(isValid(tokenRecord('one', changes), 1_000)).toBe(valid);
  });
});

describe('C8 the scope', () => {
  it.each([
    ['PRODUCTION', true, 'PRODUCTION'],
    ['PRODUCTION', false, 'PRODUCTION'],
    [undefined, false, 'PRODUCTION'],
    ['', false, 'PRODUCTION'],
    [undefined, true, undefined],
    ['', true, undefined],
    ['production', false, undefined],
    ['PRODUCTION PRODUCTION', false, undefined],
    ['PRODUCTION x', false, undefined],
    [' PRODUCTION', false, undefined],
  ])('%j (required: %j) grants %j', (asked, required, granted) => {
    expect(grantedScope(asked, required)).toBe(granted);
  });
});
