// Reads the optional If-Match header: the version that the client expects to change. @see RFC 9110 13.1.1
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../domain/failure.ts';

/**
 * Reads a version, with or without the quotes of an entity tag. Undefined if absent or `*`.
 * @throws Failure VALIDATION
 */
export const expectedVersion = ({ headers }: IncomingMessage): number | undefined => {
  const given = headers['if-match']?.trim();
  if (given === undefined || given === '*') return undefined;
  const [, digits] = /^"?(\d{1,15})"?$/.exec(given) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new Failure('VALIDATION', 'If-Match must be one version, such as "3".');
};
