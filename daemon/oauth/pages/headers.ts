// The headers of every page: nothing is loaded, framed, kept by a cache or told to another site. @see auth.md R97-R101
import { createHash } from 'node:crypto';
import { STYLE } from './style.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A name a CSP host can be. Anything else could end the directive and begin another. */
const CSP_HOST = /^[a-z0-9.-]+(:\d+)?$/;

/**
 * The CSP source for wherever a redirect URI leads. Chromium holds a redirect that answers a form post against the page's
 * `form-action`, so the client must be named there. CSP knows no IPv6 address: for one the scheme stands.
 * @see auth.md R100
 */
export const redirectSource = (redirectUri: string): string => {
  const { protocol, host } = new URL(redirectUri);
  return (protocol === 'http:' || protocol === 'https:') && CSP_HOST.test(host) ? `${protocol}//${host}` : protocol;
};

/**
 * Headers of a page; `formAction` is the CSP source list of its forms, and without it the directive is left out.
 * No Cross-Origin-Opener-Policy: it would part a client's pop-up from its opener for good (measured in Chromium), and a browser
 * client that logs in through a pop-up would never hear the answer.
 */
export const pageHeaders = (formAction: string | undefined): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(formAction === undefined ? [] : [`form-action ${formAction}`]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
});
