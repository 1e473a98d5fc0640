// Every page of the authorization service in each of its forms, with harmless and hostile content.
import { consentPage } from '../../../daemon/oauth/pages/consent.ts';
import { errorPage } from '../../../daemon/oauth/pages/error.ts';
import { loginPage } from '../../../daemon/oauth/pages/login.ts';
import type { ConsentModel, ErrorModel, LoginModel, Page } from '../../../daemon/oauth/pages/model.ts';
import { signedOutPage } from '../../../daemon/oauth/pages/signed-out.ts';
import { usedLinkPage } from '../../../daemon/oauth/pages/used-link.ts';

const pending = {
  csrf: 'csrf-value',
  transaction: 'transaction-value',
  clientName: 'report-builder',
  redirectUri: 'http://127.0.0.1:8731/callback',
};

export const login = (more: Partial<LoginModel> = {}): Page =>
  loginPage({ ...pending, action: '/authorize/login', asksNext: true, ...more });

export const consent = (more: Partial<ConsentModel> = {}): Page =>
  consentPage({
    ...pending,
    action: '/authorize/consent',
    clientDescription: 'Builds the weekly report.',
    clientOwner: 'bob',
    scopes: ['PRODUCTION'],
    username: 'alice',
    flow: 'code',
    expiresIn: 14_400,
    isRenewable: true,
    ...more,
  });

export const failure = (more: Partial<ErrorModel> = {}): Page =>
  errorPage({ status: 400, title: 'Not registered', text: 'The program is unknown.', requestId: 'run-1', ...more });

export const pages: Readonly<Record<string, Page>> = {
  login: login(),
  'login after a wrong password': login({ username: 'alice', problem: 'wrong' }),
  'login while throttled': login({ problem: { kind: 'throttled', retryAfter: 32 } }),
  consent: consent(),
  'consent of the implicit flow': consent({ flow: 'token', expiresIn: 3_600, isRenewable: false }),
  'consent with long and hostile names': consent({
    clientName: 'W'.repeat(128),
    clientDescription: `</q><script>document.title = 'taken'</script>${'\u202e long'.repeat(200)}`,
    clientOwner: 'm'.repeat(128),
    username: 'a'.repeat(128),
    redirectUri: `https://${'very-long-label.'.repeat(10)}example.com:8443/callback`,
  }),
  error: failure(),
  'logged out': signedOutPage({ username: 'alice', tenant: 'DEV' }),
  'used link': usedLinkPage(),
};

/** The directives of the content security policy with their sources. */
export const directives = (page: Page): ReadonlyMap<string, string> =>
  new Map(
    (page.headers['Content-Security-Policy'] ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );

/** The visible text of the page: without tags, with entities resolved and white space collapsed. */
export const words = (page: Page): string =>
  page.html
    .replace(/<(style|title)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ');

/** The opening tags with that name, as written. */
export const tags = (page: Page, name: string): readonly string[] =>
  page.html.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? [];
