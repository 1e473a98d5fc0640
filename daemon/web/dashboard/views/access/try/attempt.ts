// One authorization request: its random values, and what its response must contain.
import { challengeOf, randomText } from '../../../login/pkce.ts';
import type { Expected } from './answers.ts';
import { authorizeStep, type Step } from './steps.ts';

export interface Attempt extends Expected {
  readonly step: Step;
  readonly verifier: string;
}

interface Wanted {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly flow: 'code' | 'implicit';
  readonly askAgain: boolean;
  readonly issuer: string;
}

export const newAttempt = async ({ clientId, redirectUri, flow, askAgain, issuer }: Wanted): Promise<Attempt> => {
  const state = randomText();
  const verifier = randomText();
  const step = authorizeStep({
    clientId,
    redirectUri,
    state,
    ...(flow === 'code'
      ? { responseType: 'code', challenge: await challengeOf(verifier) }
      : { responseType: 'token', askAgain }),
  });
  return { step, state, verifier, redirectUri, issuer };
};
