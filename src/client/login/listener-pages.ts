// Pages that the browser shows after the redirect to this program. The texts are fixed and contain nothing from the
// request.
// @see docs/conformance/security.md R162
import { createHash } from 'node:crypto';

export interface ListenerPage {
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const STYLE = `:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;padding:1.5rem;box-sizing:border-box}h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:0;max-width:32rem}`;

/** Posts the fragment, which browsers do not send to servers, to this program, and removes it from the address bar. */
const SCRIPT = `const form = document.createElement('form');
form.method = 'post';
form.action = location.pathname;
const field = document.createElement('input');
field.type = 'hidden';
field.name = 'fragment';
field.value = location.hash.slice(1);
form.append(field);
document.body.append(form);
history.replaceState(null, '', location.pathname);
form.submit();`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const page = (status: number, title: string, text: string, script?: string): ListenerPage => ({
  status,
  html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main>${script === undefined ? '' : `<script>${script}</script>`}</body>
</html>
`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src ${hashOf(STYLE)}; ${script === undefined ? '' : `script-src ${hashOf(script)}; `}form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    // The policy is not "no-referrer": browsers would send "Origin: null" with the form, and the listener refuses
    // such a form. The next page also belongs to this program, so the referrer is safe.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  },
});

export const listenerPages = {
  arrived: page(200, 'You can close this page', 'actorctl received the response. Go back to your terminal.'),
  refused: page(200, 'The login failed', 'Go back to your terminal. It shows the reason and what to do next.'),
  foreign: page(
    400,
    'This is not the response to this login',
    'It belongs to another attempt, or another page sent it. The login in your terminal is still waiting: continue in the page that it opened.',
  ),
  handing: page(
    200,
    'Please wait',
    'This page sends the response to actorctl. If this page does not close, copy its whole address into your terminal.',
    SCRIPT,
  ),
  notFound: page(404, 'Nothing here', 'This address only receives the response to a login of actorctl.'),
  notAllowed: page(405, 'Nothing here', 'This address only receives the response to a login of actorctl.'),
  elsewhere: page(421, 'Nothing here', 'Open this address with the host name 127.0.0.1.'),
  forbidden: page(403, 'Nothing here', 'Another page sent this request. Go back to your terminal.'),
  malformed: page(400, 'Nothing here', 'This is not a response to a login. Go back to your terminal.'),
} as const satisfies Readonly<Record<string, ListenerPage>>;
