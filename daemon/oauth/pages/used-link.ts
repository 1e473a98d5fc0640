// The page of a one-time link that does not work any more.
import { html } from '../../http/response/html.ts';
import { documentPage } from './document.ts';
import { FORM_ACTION, logInAgain } from './log-in-again.ts';
import type { Page } from './model.ts';

export const usedLinkPage = (): Page =>
  documentPage({
    status: 400,
    title: 'Used link',
    formAction: FORM_ACTION,
    content: html`<h1>This link does not work any more</h1>
<p role="alert">It works once, within a minute, and it was already used or is older.</p>
${logInAgain()}`,
  });
