// Proof Key for Code Exchange: checks of challenge and verifier. Only S256 is supported. @see RFC 7636, docs/conformance/security.md#pkce

/** The only supported method. `plain` is refused, even as the default. */
export const CHALLENGE_METHOD = 'S256';

/** A SHA-256 digest in base64url without padding. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Why a challenge cannot be used, as a sentence. Undefined if it is valid or absent. */
export const challengeFault = (challenge: string | undefined, method: string | undefined): string | undefined => {
  if (challenge === undefined) {
    return method === undefined ? undefined : 'There is a code_challenge_method but no code_challenge.';
  }
  if (method !== CHALLENGE_METHOD) return `The code_challenge_method must be ${CHALLENGE_METHOD}.`;
  return CHALLENGE.test(challenge) ? undefined : 'The code_challenge is not a SHA-256 in base64url (43 characters).';
};

/**
 * True if the verifier matches the challenge. A verifier without a challenge is refused like a wrong one.
 * @param challengeOf computes the S256 challenge of a verifier
 * @see RFC 9700 2.1.1 (downgrade)
 */
export const provesChallenge = (
  challenge: string | undefined,
  verifier: string | undefined,
  challengeOf: (verifier: string) => string,
): boolean =>
  challenge === undefined
    ? verifier === undefined
    : verifier !== undefined && VERIFIER.test(verifier) && challengeOf(verifier) === challenge;
