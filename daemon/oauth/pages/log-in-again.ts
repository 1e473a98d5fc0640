// The way back in: a button that opens the dashboard, and the command that does the same.
import { html, type Markup } from '../../http/response/html.ts';

/** CSP source of the form. The dashboard is on the same origin. */
export const FORM_ACTION = "'self'";

/** Opens the dashboard of the tenant. It asks for a login if the browser has no session. */
export const logInAgain = (tenant?: string): Markup =>
  html`<form method="get" action="/">
${tenant === undefined ? undefined : html`<input type="hidden" name="tenant" value="${tenant}">`}
<div class="buttons"><button type="submit">Log in</button></div>
</form>
<p class="note">On the machine of the platform, <code>actorctl open</code> logs in without a password.</p>`;
