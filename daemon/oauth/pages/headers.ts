// The headers of the pages of the authorization service, and where their forms may lead. @see auth.md R97-R101
import { headersOfPage } from '../../http/response/page-headers.ts';
import { STYLE } from './style.ts';

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

/** Headers of a page; `formAction` is the CSP source list of its forms, and without it the directive is left out. */
export const pageHeaders = (formAction: string | undefined): Readonly<Record<string, string>> =>
  headersOfPage(STYLE, formAction);
