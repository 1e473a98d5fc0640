// What the browser shows when it comes back to this program: fixed texts, nothing of the request in them. @see auth.md R162
import { createHash } from 'node:crypto';

/** A page and the headers that go with it. */
export interface ListenerPage {
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const STYLE = `:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;padding:1.5rem;box-sizing:border-box}h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:0;max-width:32rem}`;

/** Hands the fragment, which no server ever sees, to this program by a form of the same origin, and takes it out of the address bar. */
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
    // Not "no-referrer": browsers then send "Origin: null" with the form (auth.md R99). The next page is ours as well.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  },
});

/** Every page there is. */
export const listenerPages = {
  arrived: page(200, 'You can close this page', 'actorctl has the answer. Go back to your terminal.'),
  refused: page(200, 'This login did not succeed', 'Go back to your terminal: it says why, and what to do next.'),
  handing: page(
    200,
    'One moment',
    'This page hands the answer to actorctl. If it stays, copy its whole address into your terminal.',
    SCRIPT,
  ),
  notFound: page(404, 'Nothing is here', 'This address only takes the answer to a login of actorctl.'),
  notAllowed: page(405, 'Nothing is here', 'This address only takes the answer to a login of actorctl.'),
  elsewhere: page(421, 'Nothing is here', 'This address is not known by that name.'),
  forbidden: page(403, 'Nothing is here', 'Another page sent this. Go back to your terminal.'),
  malformed: page(400, 'Nothing is here', 'This is no answer to a login. Go back to your terminal.'),
} as const satisfies Readonly<Record<string, ListenerPage>>;
