// The If-Match header of a state update: which versions it allows to be replaced. @see RFC 9110 13.1.1
import { Failure } from '../failure.ts';

export type Matches = (version: number) => boolean;

export const tagOf = (version: number): string => `"${version}"`;

const versionOf = (tag: string): number => {
  const [, digits] = /^(?:W\/)?"v?(\d{1,15})"$/.exec(tag) ?? /^v?(\d{1,15})$/.exec(tag) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new Failure('VALIDATION', 'If-Match must be the version of the state, like "12", or * for any.', {
    field: 'If-Match',
  });
};

/**
 * Returns a function that says whether a version matches the header. Without the header, every version matches.
 * Quotation marks around a version are optional, and it may have the prefix `v`.
 */
export const matchesOf = (header: string | undefined): Matches => {
  if (header === undefined || header.trim() === '*') return () => true;
  const versions = header.split(',').map((tag) => versionOf(tag.trim()));
  return (version) => versions.includes(version);
};
