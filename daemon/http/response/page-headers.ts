// The headers of every page: nothing is loaded, framed, kept by a cache or told to another site. @see auth.md R97-R101
import { createHash } from 'node:crypto';

/**
 * Headers of a page whose one stylesheet is `style`; `formAction` is the CSP source list of its forms, and without it the directive
 * is left out.
 * No Cross-Origin-Opener-Policy: it would part a client's pop-up from its opener for good (measured in Chromium), and a browser
 * client that logs in through a pop-up would never hear the answer.
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
