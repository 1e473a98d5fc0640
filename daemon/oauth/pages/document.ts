// The frame of every page: head, product name and content.

import { html, type Markup } from '../../http/response/html.ts';
import type { FormKeys } from '../pending-authorization.ts';
import { pageHeaders } from './headers.ts';
import type { Page } from './model.ts';
import { STYLE } from './style.ts';

interface DocumentParts {
  readonly status: number;
  /** Title of the window. The product name is appended. */
  readonly title: string;
  readonly content: Markup;
  /** CSP source list for the forms of the page. The directive is omitted if absent. */
  readonly formAction?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const style: Markup = { markup: `<style>${STYLE}</style>` };

export const formKeyInputs = ({ csrf, transaction }: FormKeys): Markup =>
  html`<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="transaction" value="${transaction}">`;

export const documentPage = ({ status, title, content, formAction, headers }: DocumentParts): Page => ({
  status,
  html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · actorctl</title>
${style}
</head>
<body>
<main>
<p class="mark"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><circle cx="10" cy="10" r="8"/><circle cx="10" cy="10" r="3"/></svg>actorctl</p>
${content}
</main>
</body>
</html>
`.markup,
  headers: { ...pageHeaders(formAction), ...headers },
});
