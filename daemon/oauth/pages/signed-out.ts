// The page after a logout.

import { html } from '../../http/response/html.ts';
import { nameOf } from './client.ts';
import { documentPage } from './document.ts';
import { FORM_ACTION, logInAgain } from './log-in-again.ts';
import type { Page, SignedOutModel } from './model.ts';

/** The page after a logout. Its status is always 200. */
export const signedOutPage = ({ username, tenant }: SignedOutModel): Page =>
  documentPage({
    status: 200,
    title: 'Logged out',
    formAction: FORM_ACTION,
    content: html`<h1>You are logged out</h1>
<p>${
      username === undefined ? 'This browser is' : html`${nameOf(username)} is`
    } no longer logged in here. Programs that you approved keep their access until it ends.</p>
${logInAgain(tenant)}`,
  });
