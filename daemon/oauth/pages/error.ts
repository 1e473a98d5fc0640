// The error page: what happened, why, and what to do next. It contains no links.

import { html } from '../../http/response/html.ts';
import { documentPage } from './document.ts';
import type { ErrorModel, Page } from './model.ts';

const GO_BACK = 'Go back to the program that sent you here and start again.';

/** The error page with the given status. @see docs/conformance/security.md#shown-as-a-page R07 */
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
<p class="note">Request <code>${requestId}</code>. The operator of this platform can find it in the log by this id.</p>`,
  });
