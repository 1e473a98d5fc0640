// The consent page: the client, its scope, the duration and the redirect target, with equal buttons to approve and
// deny.

import { html, type Markup } from '../../http/response/html.ts';
import { destinationOf, duration, nameOf } from './client.ts';
import { documentPage, formKeyInputs } from './document.ts';
import { redirectSource } from './headers.ts';
import type { ConsentModel, Page } from './model.ts';

const scopeTexts: ReadonlyMap<string, readonly [title: string, meaning: string]> = new Map([
  [
    'PRODUCTION',
    [
      'Use the whole platform in your name',
      'See, run, change and delete everything that you can: actors, messages, executions, state, configs, clients.',
    ],
  ],
]);

const scopeParagraph = (scope: string): Markup => {
  const words = scopeTexts.get(scope);
  return words === undefined
    ? html`<p class="ask"><strong>${scope}</strong></p>\n`
    : html`<p class="ask"><strong>${words[0]}</strong><br>${words[1]}</p>\n`;
};

const durationText = ({ isRenewable, expiresIn }: ConsentModel): string =>
  isRenewable
    ? `${duration(expiresIn)} at a time. It can renew the access until its owner ends that, or your password is changed.`
    : `${duration(expiresIn)} at most. After that it must ask again.`;

/** Maximum characters of the client's own description. A long one must not push the rest of the page out of sight. */
const MAX_DESCRIPTION = 160;

const descriptionRow = (description: string): Markup | undefined => {
  const characters = [...description];
  if (characters.length === 0) return undefined;
  const shown =
    characters.length > MAX_DESCRIPTION ? `${characters.slice(0, MAX_DESCRIPTION).join('').trimEnd()}…` : description;
  return html`<dt>Client says</dt>
<dd><q><bdi>${shown}</bdi></q></dd>
`;
};

/** The owner of the client, empty for a client of the platform itself. */
const ownerText = (owner: string, username: string): Markup | string => {
  if (owner === '') return 'this platform';
  return owner === username ? 'you' : html`${nameOf(owner)}, a user of this platform`;
};

/** The consent page. Its status is always 200. @see docs/conformance/security.md R16 */
export const consentPage = (model: ConsentModel): Page => {
  const { action, clientName, clientDescription, clientOwner, redirectUri, scopes, username, flow } = model;
  return documentPage({
    status: 200,
    title: 'Approve or deny',
    // A code goes to the client's server, which often redirects to a third origin. Chromium would apply `form-action`
    // to that redirect as well. The directive is therefore set only for the implicit flow, which ends at a page of the
    // client. This page contains no password.
    // @see docs/conformance/security.md R100
    ...(flow === 'token' && { formAction: `'self' ${redirectSource(redirectUri)}` }),
    content: html`<h1 class="question">Let ${nameOf(clientName)} act for you?</h1>
${scopes.map(scopeParagraph)}<dl>
<dt>For</dt>
<dd>${durationText(model)}</dd>
<dt>Sent to</dt>
<dd>${destinationOf(redirectUri)}</dd>
<dt>Owner</dt>
<dd>${ownerText(clientOwner, username)}</dd>
<dt>Scope</dt>
<dd><code>${scopes.join(' ')}</code></dd>
${descriptionRow(clientDescription)}</dl>
<form method="post" action="${action}">
${formKeyInputs(model)}
<div class="buttons"><button type="submit" name="decision" value="deny">Deny</button><button type="submit" name="decision" value="approve">Approve</button></div>
</form>
<form class="note" method="post" action="/authorize/logout">
${formKeyInputs(model)}
<p>You are logged in as ${nameOf(username)}. <button class="quiet" type="submit">Use another account</button></p>
</form>`,
  });
};
