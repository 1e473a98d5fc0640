// The forms of the authorization pages: how tests fill them in and check the responses.

import { type Browserless, browserless, formsOf, formTo } from '../browser/browserless.ts';
import { authorizePath, type TestClient } from './authorize-calls.ts';
import type { Answer } from './call.ts';
import { ADMIN_PASSWORD, type Platform } from './platform.ts';

export const LOGIN = '/authorize/login';
export const CONSENT = '/authorize/consent';

/** The login data of the admin. */
export const right = { username: 'admin', password: ADMIN_PASSWORD };

/** Opens the login page of an authorization request in a new browser. Also returns the hidden fields of its form. */
export const loginForm = async (
  { baseUrl }: Platform,
  client: TestClient,
): Promise<{ readonly browser: Browserless; readonly fields: Record<string, string> }> => {
  const browser = browserless(baseUrl);
  return { browser, fields: { ...formTo(await browser.get(authorizePath(client)), LOGIN).fields } };
};

/** Whether the page has a form with that target. */
export const asks = (answer: Answer, action: string): boolean => formsOf(answer).some((form) => form.action === action);

/** Whether a page shows a refusal and redirects nowhere. */
export const refused = ({ status, headers }: Answer): boolean =>
  (status === 400 || status === 403) &&
  headers.location === undefined &&
  (headers['content-type']?.startsWith('text/html') ?? false);
