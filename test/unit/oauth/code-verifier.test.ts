// The code verifier that the owner of an authorization code must prove.
import { describe, expect, it } from 'vitest';
import { provesChallenge } from '../../../daemon/domain/oauth/pkce.ts';

describe('R60 R61 R63 a verifier', () => {
  const hash = (verifier: string) => `hash of ${verifier}`;
  const good = 'a'.repeat(43);
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['the right one', hash(good), good, true],
    ['none where none is due', undefined, undefined, true],
    ['another one', hash(good), 'b'.repeat(43), false],
    ['none', hash(good), undefined, false],
    ['one without a challenge', undefined, good, false],
    ['too short', hash('a'.repeat(42)), 'a'.repeat(42), false],
    ['too long', hash('a'.repeat(129)), 'a'.repeat(129), false],
    ['outside of the alphabet', hash('ä'.repeat(43)), 'ä'.repeat(43), false],
  ])('%s', (_, challenge, verifier, proven) => {
    expect(provesChallenge(challenge, verifier, hash)).toBe(proven);
  });
});
