// The consent page: who asks, for what, for how long, where the answer goes; denying is as easy as approving.
import { duration, nameOf, placeOf } from './client.ts';
import { documentPage } from './document.ts';
import { redirectSource } from './headers.ts';
import { html, type Markup } from './html.ts';
import type { ConsentModel, Page } from './model.ts';

const scopeWords: ReadonlyMap<string, readonly [title: string, meaning: string]> = new Map([
  [
    'PRODUCTION',
    [
      'Use the whole platform in your name',
      'It can see, run, change and delete everything that you can: actors, messages, executions, state, configs and clients.',
    ],
  ],
]);

const scopeItem = (scope: string): Markup => {
  const words = scopeWords.get(scope);
  return words === undefined
    ? html`<dd><b>${scope}</b></dd>`
    : html`<dd><b>${words[0]}</b> <code>${scope}</code><br>${words[1]}</dd>`;
};

const lasting = ({ flow, expiresIn }: ConsentModel): string =>
  flow === 'token'
    ? `For ${duration(expiresIn)} at most; then it must ask again.`
    : `Until its access is revoked: it can renew its ${duration(expiresIn)} by itself.`;

const hidden = ({ csrf, transaction }: ConsentModel): Markup => html`<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="transaction" value="${transaction}">`;

/** Always 200. @see auth.md R16 */
export const consentPage = (model: ConsentModel): Page => {
  const { action, clientName, clientDescription, clientOwner, redirectUri, scopes, username, flow } = model;
  return documentPage({
    status: 200,
    title: 'Approve or deny',
    // A code goes to the client's server, which likes to redirect on to yet another origin. Chromium would hold that against this page
    // too, so only the implicit flow, which ends in a page of the client, names its client. No secret is typed here. @see auth.md R100
    ...(flow === 'token' && { formAction: `'self' ${redirectSource(redirectUri)}` }),
    content: html`<h1>Let ${nameOf(clientName)} act for you?</h1>
<dl>
<dt>What it may do</dt>
${scopes.map(scopeItem)}
<dt>For how long</dt>
<dd>${lasting(model)}</dd>
<dt>Who it is</dt>
<dd>${nameOf(clientName)}, registered by ${clientOwner === username ? 'you' : nameOf(clientOwner)}.${
      clientDescription === ''
        ? undefined
        : html` It says about itself: <q class="claim"><bdi>${clientDescription}</bdi></q>`
    }</dd>
<dt>Where the answer goes</dt>
<dd>${placeOf(redirectUri)}</dd>
</dl>
<form method="post" action="${action}">
${hidden(model)}
<div class="buttons"><button type="submit" name="decision" value="deny">Deny</button><button type="submit" name="decision" value="approve">Approve</button></div>
</form>
<form class="note" method="post" action="/authorize/logout">
${hidden(model)}
<p>You are signed in as ${nameOf(username)}. <button class="quiet" type="submit">Use another account</button></p>
</form>`,
  });
};
