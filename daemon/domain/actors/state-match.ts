// The header If-Match of a change of state: which versions it names. @see RFC 9110 13.1.1
import { Failure } from '../failure.ts';

/** Whether a version is one of those that may be replaced. */
export type Matches = (version: number) => boolean;

/** The entity tag of a version. */
export const tagOf = (version: number): string => `"${version}"`;

const versionOf = (tag: string): number => {
  const [, digits] = /^(?:W\/)?"v?(\d{1,15})"$/.exec(tag) ?? /^v?(\d{1,15})$/.exec(tag) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new Failure('VALIDATION', 'If-Match must be the version of the state, like "12", or * for any.', {
    field: 'If-Match',
  });
};

/**
 * What the header allows; every version when there is none. Versions may stand without quotation marks and after a `v`.
 * @throws Failure VALIDATION naming the header
 */
export const matchesOf = (header: string | undefined): Matches => {
  if (header === undefined || header.trim() === '*') return () => true;
  const versions = header.split(',').map((tag) => versionOf(tag.trim()));
  return (version) => versions.includes(version);
};
