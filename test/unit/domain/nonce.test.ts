// The rules of nonces as tables: uses, expiry, target, level and roles.
import { describe, expect, it } from 'vitest';
import {
  allows,
  grantedRoles,
  isDeletable,
  isRedeemable,
  matchesTarget,
  newNonce,
  remainingUses,
  withOneMoreUse,
} from '../../../daemon/domain/actors/nonce.ts';
import type { NonceRecord } from '../../../daemon/domain/records/resource-records.ts';

const made = (change: Partial<NonceRecord> = {}): NonceRecord => ({
  ...newNonce(
    { id: 'DEV_n', hash: 'h', tenant: 'DEV', owner: 'ana', roles: ['user'], target: { actorId: 'a1' } },
    { level: 'EXECUTE', maxUses: 2, description: '' },
    1_000,
  ),
  ...change,
});

describe('a nonce', () => {
  it('R126 with two uses is valid twice', () => {
    const once = withOneMoreUse(made(), 5);
    expect([remainingUses(made()), remainingUses(once), once.lastUsedAt]).toEqual([2, 1, 5]);
    expect(isRedeemable(once, 5)).toBe(true);
    expect(isRedeemable(withOneMoreUse(once, 6), 6)).toBe(false);
    expect(remainingUses(withOneMoreUse(once, 6))).toBe(0);
  });

  it('R126 without a use limit counts its uses and never runs out', () => {
    const endless = made({ maxUses: -1, currentUses: 1_000_000 });
    expect([remainingUses(endless), isRedeemable(endless, 0)]).toEqual([-1, true]);
    expect(withOneMoreUse(endless, 1).currentUses).toBe(1_000_001);
  });

  it('is valid until the millisecond of its expiry', () => {
    const short = newNonce({ ...made(), target: { alias: 'x' } }, { ...made(), expiresIn: 2 }, 1_000);
    expect(short.expiresAt).toBe(3_000);
    expect([2_999, 3_000].map((now) => isRedeemable(short, now))).toEqual([true, false]);
  });

  it.each([
    [{}, false],
    [{ maxUses: -1, currentUses: 9, lastUsedAt: 0 }, false],
    [{ currentUses: 2, lastUsedAt: 0 }, true],
    [{ currentUses: 2, lastUsedAt: 1 }, false],
    [{ expiresAt: 0 }, true],
    [{ expiresAt: 1 }, false],
    [{ expiresAt: 1e15, currentUses: 2, lastUsedAt: 0 }, true],
    [{ expiresAt: 1, lastUsedAt: 0, currentUses: 1 }, false],
  ])('R146 with %j is deleted after thirty days: %s', (change, over) => {
    expect(isDeletable(made(change), 30 * 86_400_000)).toBe(over);
  });

  it.each([
    [{ actorId: 'a1' }, 'actor', 'a1', true],
    [{ actorId: 'a1' }, 'actor', 'wc', false],
    [{ actorId: 'a1' }, 'alias', 'a1', false],
    [{ actorId: 'a1' }, 'actor', '', false],
    [{ alias: 'wc' }, 'alias', 'wc', true],
    [{ alias: 'wc' }, 'actor', 'wc', true],
    [{ alias: 'wc' }, 'actor', 'a1', false],
    [{ alias: 'wc' }, 'alias', 'WC', false],
    [{ alias: 'a1' }, 'actor', 'a1', false],
    [{ alias: 'a1' }, 'alias', 'a1', true],
  ] as const)('R126 made for %j gives access to the %s %s: %s', (target, place, name, opens) => {
    expect(matchesTarget(target, { place, name }, (id) => id === 'a1')).toBe(opens);
  });

  it.each([
    ['NONE', [false, false, false]],
    ['READ', [true, false, false]],
    ['EXECUTE', [true, true, false]],
    ['UPDATE', [true, true, true]],
  ] as const)('R126 of level %s allows READ, EXECUTE, UPDATE: %j', (level, allowed) => {
    expect((['READ', 'EXECUTE', 'UPDATE'] as const).map((needed) => allows(made({ level }), needed))).toEqual(allowed);
  });

  it('acts with the roles that its owner had at its creation and still has', () => {
    expect(grantedRoles(['admin', 'user'], ['user', 'privileged'])).toEqual(['user']);
    expect(grantedRoles([], ['admin'])).toEqual([]);
  });
});
