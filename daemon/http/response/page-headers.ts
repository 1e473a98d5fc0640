// Security headers of every page: no scripts, frames, caching or Referer to other sites.
// @see docs/conformance/security.md R97, R98, R99, R100, R101
import { createHash } from 'node:crypto';

/**
 * The headers of a page with one stylesheet, `style`. `formAction` is the CSP source list of its forms; without it, the
 * directive is omitted. Cross-Origin-Opener-Policy is not set, because it would separate a login pop-up from the page
 * that opened it (measured in Chromium), and a browser client would never get the response.
 */
export const headersOfPage = (style: string, formAction?: string): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
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
