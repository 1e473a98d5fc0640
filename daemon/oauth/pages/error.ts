// The page for what cannot be answered by a redirect: what happened, why, what to do next. It links nowhere.

import { html } from '../../http/response/html.ts';
import { documentPage } from './document.ts';
import type { ErrorModel, Page } from './model.ts';

const GO_BACK = 'Go back to the program that sent you here and start again.';

/** Has the status it is given. @see auth.md 1.1, R07 */
export const errorPage = ({ status, title, text, next = GO_BACK, requestId }: ErrorModel): Page =>
  documentPage({
    status,
    title,
    formAction: "'none'",
    content: html`<h1>${title}</h1>
<div role="alert">
<p>${text}</p>
<p>${next}</p>
</div>
<p class="note">Request <code>${requestId}</code>. Whoever runs this platform can find it in the log under that name.</p>`,
  });
