// Distinguishes requests from pages of other sites from requests of the daemon's own pages and of programs.
import type { IncomingMessage } from 'node:http';

/**
 * True if a browser sent the request for a page of another site. A cookie would prove nothing, because a browser sends
 * it to all ports of this machine. The Host header was checked before. Programs other than browsers send neither Origin
 * nor Sec-Fetch-Site.
 * @see docs/conformance/security.md R93
 */
export const isFromOtherSite = ({ headers }: IncomingMessage, baseUrl: string): boolean => {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const own = `${baseUrl.slice(0, baseUrl.indexOf(':'))}://${host.toLowerCase()}`;
  return (origin !== undefined && origin !== own) || (site !== undefined && site !== 'same-origin' && site !== 'none');
};
