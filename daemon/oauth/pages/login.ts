// The login page: names the client that requests the login and shows the problem of the previous attempt.

import { html } from '../../http/response/html.ts';
import { destinationOf, duration, nameOf } from './client.ts';
import { documentPage, formKeyInputs } from './document.ts';
import { redirectSource } from './headers.ts';
import type { LoginModel, LoginProblem, Page } from './model.ts';

interface ProblemText {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const problemTextOf = (problem: LoginProblem): ProblemText => {
  if (problem === 'wrong') {
    return { status: 401, text: 'That username and password do not belong together. Check both and try again.' };
  }
  if (problem === 'expired') {
    return {
      status: 400,
      text: 'This page has expired, or your session has ended. Nothing was approved. Log in again to continue.',
    };
  }
  const { retryAfter } = problem;
  return {
    status: 429,
    text: `There were too many attempts. Wait ${duration(retryAfter)}, then try again.`,
    headers: { 'Retry-After': String(retryAfter) },
  };
};

/**
 * The login page. Its status is 200; 401 after wrong credentials, 400 after an expired form, 429 with `Retry-After`
 * while throttled.
 * @see docs/conformance/security.md R103, R104
 */
export const loginPage = ({
  action,
  csrf,
  transaction,
  clientName,
  redirectUri,
  asksNext,
  username = '',
  problem,
}: LoginModel): Page => {
  const words = problem === undefined ? undefined : problemTextOf(problem);
  const wrong = problem === 'wrong' ? html` aria-invalid="true" aria-describedby="problem"` : undefined;
  const focusUser = username === '' ? html` autofocus` : undefined;
  const focusPassword = username === '' ? undefined : html` autofocus`;
  return documentPage({
    status: words?.status ?? 200,
    title: words === undefined ? 'Log in' : 'Problem: Log in',
    // In the implicit flow, the response to a login can be a redirect to the client, without a consent page.
    formAction: `'self' ${redirectSource(redirectUri)}`,
    ...(words?.headers && { headers: words.headers }),
    content: html`<h1>Log in</h1>
<p>${nameOf(clientName)} asks to use the platform in your name. Log in first.${asksNext ? ' Unless you approved the same before, you then decide about the request.' : ''}</p>
${words && html`<p class="problem" id="problem" role="alert">${words.text}</p>`}
<form method="post" action="${action}">
${formKeyInputs({ csrf, transaction })}
<label for="username">Username</label>
<input id="username" name="username" type="text" value="${username}" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required${focusUser}${wrong}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${focusPassword}${wrong}>
<div class="buttons"><button type="submit">Log in</button></div>
</form>
<p class="note">Your password stays with the platform; ${nameOf(clientName)} never sees it. The response goes to ${destinationOf(redirectUri)}. If you did not start this, close the page. Nothing was approved.</p>`,
  });
};
