// The names that an alias may have.

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { aliasFault, demandAliasName } from '../../../daemon/domain/actors/alias.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { aliasRegistration } from '../../../src/contract/actors/aliases.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';

/** Validates an alias like a request does: first the schema, then the rule. */
const isTaken = (alias: string): boolean =>
  z.safeParse(aliasRegistration, { alias, actorId: 'A' }).success && aliasFault(alias) === undefined;

describe('the name of an alias', () => {
  it.each([
    'wc',
    'a',
    '9',
    'word.count_v2-final',
    'constructor',
    'toString',
    'x'.repeat(128),
    'wordcount-abc',
    'Admin',
  ])('may be %s', (name) => expect(isTaken(name)).toBe(true));

  it.each([
    '',
    '.',
    '..',
    'a..b',
    '-a',
    '_a',
    '.a',
    '__proto__',
    'a b',
    'a/b',
    '../x',
    'a\\b',
    'a\u0000b',
    'a\nb',
    'a%2Fb',
    'a:b',
    'id:x',
    'a?b',
    'a#b',
    'a@b',
    'ä',
    '😀',
    '\u202eabc',
    'x'.repeat(129),
    'x'.repeat(1_000_000),
  ])('R131 may not be %j', (name) => expect(isTaken(name)).toBe(false));

  it('R124 may not be a path segment of the reference service next to or below an actor', () => {
    const below = ['executions', 'nonces', 'logs', 'messages', 'adapters', 'admin', 'cron', 'permissions', 'state'];
    for (const word of [...below, 'metrics', 'workers', 'utilization']) {
      expect(aliasFault(word)).toBe(`must not be "${word}": this word is reserved`);
    }
  });

  it('R124 may not be a path segment that a route uses in place of an actor', () => {
    const words = Object.values(serviceOperations)
      .map(({ path }) => /^\/actors\/v2\/([^/:]+)/.exec(path)?.[1])
      .filter((word) => word !== undefined);
    expect(words).toContain('aliases');
    for (const word of words) expect([word, isTaken(word)]).toEqual([word, false]);
  });

  it('is refused with a sentence that begins with the field', () => {
    expect(() => demandAliasName('words')).not.toThrow();
    expect(() => demandAliasName('a..b')).toThrow(
      expect.objectContaining({
        code: 'VALIDATION',
        message: 'alias must not contain two dots in a row.',
        detail: { field: 'alias' },
      }),
    );
  });

  it('R124 may not look like an id, whether or not such an actor exists', () => {
    const ids = createIds();
    for (let made = 0; made < 100; made += 1) expect(aliasFault(ids.id())).toMatch(/looks like the id/);
    expect(isTaken('abcdefghijklm')).toBe(false);
    expect(isTaken('abcdefghijkl')).toBe(true);
    expect(isTaken('1bcdefghijklm')).toBe(true);
  });
});
