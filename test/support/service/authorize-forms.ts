// The forms of the authorization pages, as tests fill them in and look at what comes back.

import { type Browserless, browserless, formsOf, formTo } from '../browser/browserless.ts';
import { authorizePath, type TestClient } from './authorize-calls.ts';
import type { Answer } from './call.ts';
import { ADMIN_PASSWORD, type Platform } from './platform.ts';

export const LOGIN = '/authorize/login';
export const CONSENT = '/authorize/consent';

/** What the admin fills in. */
export const right = { username: 'admin', password: ADMIN_PASSWORD };

/** A new browser at the login page of an authorization request, and the hidden fields of its form. */
export const loginForm = async (
  { baseUrl }: Platform,
  client: TestClient,
): Promise<{ readonly browser: Browserless; readonly fields: Record<string, string> }> => {
  const browser = browserless(baseUrl);
  return { browser, fields: { ...formTo(await browser.get(authorizePath(client)), LOGIN).fields } };
};

/** Whether the page has a form that goes there. */
export const asks = (answer: Answer, action: string): boolean => formsOf(answer).some((form) => form.action === action);

/** Whether a page says no, and sends nobody anywhere. */
export const refused = ({ status, headers }: Answer): boolean =>
  (status === 400 || status === 403) &&
  headers.location === undefined &&
  (headers['content-type']?.startsWith('text/html') ?? false);
