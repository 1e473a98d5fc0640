// Headers of the authorization pages and the targets that their forms may reach. @see docs/conformance/security.md R97, R98, R99, R100, R101
import { headersOfPage } from '../../http/response/page-headers.ts';
import { STYLE } from './style.ts';

/** The scheme and host of a redirect URI. For a stored URI that cannot be parsed, the host is the whole URI. */
export const partsOf = (redirectUri: string): Pick<URL, 'protocol' | 'host' | 'hostname'> => {
  if (URL.canParse(redirectUri)) return new URL(redirectUri);
  const protocol = redirectUri.slice(0, redirectUri.indexOf(':') + 1).toLowerCase();
  return { protocol, host: redirectUri, hostname: redirectUri };
};

/** Hosts that are allowed in a CSP. Other characters could end the directive and start another one. */
const CSP_HOST = /^[a-z0-9.-]+(:\d+)?$/;

/**
 * The CSP source of a redirect URI. Chromium applies `form-action` to the redirect that follows a form, so the client's
 * origin must be listed. CSP does not support IPv6 addresses, so only the scheme is listed for them.
 * @see docs/conformance/security.md R100
 */
export const redirectSource = (redirectUri: string): string => {
  const { protocol, host } = partsOf(redirectUri);
  return (protocol === 'http:' || protocol === 'https:') && CSP_HOST.test(host) ? `${protocol}//${host}` : protocol;
};

export const pageHeaders = (formAction: string | undefined): Readonly<Record<string, string>> =>
  headersOfPage(STYLE, formAction);
