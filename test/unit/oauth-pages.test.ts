// The pages of the authorization service as text: escaping, headers, the words for every problem.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { duration } from '../../daemon/oauth/pages/client.ts';
import { redirectSource } from '../../daemon/oauth/pages/headers.ts';
import { escaped, html } from '../../daemon/oauth/pages/html.ts';
import type { ConsentModel, LoginProblem, Page } from '../../daemon/oauth/pages/model.ts';
import { signedOutPage } from '../../daemon/oauth/pages/signed-out.ts';
import { consent, failure, login, pages } from '../support/oauth-pages.ts';

const directives = (page: Page): ReadonlyMap<string, string> =>
  new Map(
    (page.headers['Content-Security-Policy'] ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
/** What stands on the page: tags gone, entities resolved, white space folded. */
const words = (page: Page): string =>
  page.html
    .replace(/<(style|title)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ');
const tags = (page: Page, name: string): readonly string[] =>
  page.html.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? [];

describe.each(Object.entries(pages))('the page "%s"', (_name, page) => {
  it('R97 is never framed', () => {
    expect(directives(page).get('frame-ancestors')).toBe("'none'");
    expect(page.headers['X-Frame-Options']).toBe('DENY');
  });

  it('R98 loads nothing: no script, no foreign address, its style allowed by the hash of its bytes', () => {
    const policy = directives(page);
    const styles = [...page.html.matchAll(/<style>(.*?)<\/style>/gs)].map((match) => match[1] ?? '');
    expect(styles).toHaveLength(1);
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('base-uri')).toBe("'none'");
    expect(policy.get('style-src')).toBe(
      `'sha256-${createHash('sha256')
        .update(styles[0] ?? '')
        .digest('base64')}'`,
    );
    expect(policy.has('script-src')).toBe(false);
    expect(page.html).not.toMatch(/<script|<link|<img|<a |<iframe| style=| on\w+=|url\(|@import/i);
    expect(page.headers['X-Content-Type-Options']).toBe('nosniff');
    expect(page.headers['Content-Type']).toBe('text/html; charset=utf-8');
  });

  it('R99 keeps its own Origin on form posts and tells other sites nothing', () => {
    expect(page.headers['Referrer-Policy']).toBe('same-origin');
  });

  it('R101 is kept by no cache', () => {
    expect(page.headers['Cache-Control']).toBe('no-store');
  });

  it('R104 has a language, a title, one heading, and fits a phone', () => {
    expect(page.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page.html).toMatch(/<title>[^<]+ · actorctl<\/title>/);
    expect(tags(page, 'h1')).toHaveLength(1);
    expect(tags(page, 'main')).toHaveLength(1);
    expect(page.html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  });

  it('R102 posts its forms to the service itself', () => {
    for (const form of tags(page, 'form'))
      expect(form).toMatch(/ method="post" action="\/authorize\/(login|consent|logout)"/);
  });
});

describe('form-action', () => {
  it('R100 the login names itself and where the client is answered', () => {
    expect(directives(login()).get('form-action')).toBe("'self' http://127.0.0.1:8731");
  });

  it('R100 the consent of the implicit flow names itself and the client', () => {
    expect(directives(consent({ flow: 'token' })).get('form-action')).toBe("'self' http://127.0.0.1:8731");
  });

  it('R100 the consent of the code flow names nobody, because the client may redirect on', () => {
    expect(directives(consent({ flow: 'code' })).has('form-action')).toBe(false);
  });

  it('R100 pages without a form allow none', () => {
    expect(directives(failure()).get('form-action')).toBe("'none'");
    expect(directives(signedOutPage({})).get('form-action')).toBe("'none'");
  });

  it.each([
    ['https://app.example.com/callback?x=1', 'https://app.example.com'],
    ['https://App.Example.com:8443/', 'https://app.example.com:8443'],
    ['http://localhost:80/', 'http://localhost'],
    ['http://[::1]:8731/callback', 'http:'],
    ['com.example.app:/callback', 'com.example.app:'],
    ['com.example.app://back/there', 'com.example.app:'],
    ["https://a;script-src-elem'unsafe-inline'/", 'https:'],
    ['https://a,b/', 'https:'],
  ])('R100 %s is answered under %s', (uri, source) => {
    expect(redirectSource(uri)).toBe(source);
  });
});

describe('text of strangers', () => {
  const hostile = `</bdi></title></style><script>alert(1)</script>" autofocus onfocus='x' &amp; \u0000\r\n\u202e\u2066\ud800 end`;

  it('R21 is escaped on every page and in every place', () => {
    const reflecting = [
      login({ csrf: hostile, transaction: hostile, clientName: hostile, username: hostile }),
      consent({ csrf: hostile, transaction: hostile, clientName: hostile, clientDescription: hostile }),
      consent({ clientOwner: hostile, username: hostile, scopes: [hostile] }),
      failure({ title: hostile, text: hostile, next: hostile, requestId: hostile }),
      signedOutPage({ username: hostile }),
    ];
    for (const page of reflecting) {
      expect(page.html).not.toContain('<script');
      expect(page.html).not.toContain('</bdi></title>');
      expect(page.html.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]* onfocus=/);
      expect(page.html).toContain(
        '&lt;script&gt;alert(1)&lt;/script&gt;&quot; autofocus onfocus=&#39;x&#39; &amp;amp;',
      );
      expect(page.html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(page.html).not.toContain('\u0000');
      expect(page.html).not.toContain('\r');
      expect(page.html).toContain('\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd end');
      expect([...tags(page, 'h1'), ...tags(page, 'style')]).toHaveLength(2);
    }
  });

  it('R20 never reaches a header', () => {
    const page = login({ clientName: 'a\r\nSet-Cookie: b=c', redirectUri: 'https://a;sandbox/cb' });
    expect(JSON.stringify(page.headers)).not.toMatch(/Set-Cookie|sandbox|\\r|\\n/);
  });

  it('R21 keeps its own writing direction', () => {
    expect(consent({ clientName: 'עברית' }).html).toContain('<bdi class="name">עברית</bdi>');
  });

  it('R21 shows writing of any language and joined emoji as they are', () => {
    expect(escaped('Grüße, 日本 👩‍💻')).toBe('Grüße, 日本 👩‍💻');
  });

  it('R16 a long description is cut, and stands below the facts', () => {
    const text = words(consent({ clientDescription: 'so good '.repeat(500) }));
    expect(text).toMatch(/Sent to .* Owner .* Scope .* In its words so good .{100,160}…/);
    expect(text.length).toBeLessThan(900);
  });
});

describe('the html tag', () => {
  it('escapes text, keeps markup, joins lists, leaves undefined out', () => {
    const list = [html`<i>${'<'}</i>`, html`<b>${1}</b>`];
    expect(html`a${'"'}b${list}${undefined}c`.markup).toBe('a&quot;b<i>&lt;</i><b>1</b>c');
  });
});

describe('login', () => {
  it.each<[string, LoginProblem, number, string]>([
    ['wrong credentials', 'wrong', 401, 'That username and password do not belong together. Check both and try again.'],
    [
      'an expired form',
      'expired',
      400,
      'This page had waited too long, or your session has ended. Nothing was given away. Sign in again to go on.',
    ],
    [
      'too many attempts',
      { kind: 'throttled', retryAfter: 32 },
      429,
      'Too many attempts have failed. Wait 32 seconds, then try again.',
    ],
  ])('says what happened after %s, where a screen reader announces it', (_what, problem, status, text) => {
    const page = login({ username: 'alice', problem });
    expect(page.status).toBe(status);
    expect(page.html).toContain(`<p class="problem" id="problem" role="alert">${text}</p>`);
    expect(page.html).toContain('<title>Problem: Sign in');
  });

  it('R76 tells the seconds to wait in Retry-After as well', () => {
    expect(login({ problem: { kind: 'throttled', retryAfter: 61 } }).headers['Retry-After']).toBe('61');
    expect(login({ problem: 'wrong' }).headers['Retry-After']).toBeUndefined();
  });

  it('is 200 and has no alert when nothing went wrong', () => {
    expect(login().status).toBe(200);
    expect(login().html).not.toContain('role="alert"');
  });

  it('R103 never holds a password; the username comes back, with the focus on what is to be typed', () => {
    const page = login({ username: 'alice', problem: 'wrong' });
    const [username = '', password = ''] = tags(page, 'input').filter((tag) => !tag.includes('hidden'));
    expect(username).toContain('value="alice"');
    expect(username).not.toContain('autofocus');
    expect(password).not.toContain('value=');
    expect(password).toContain('autofocus');
    expect(password).toContain('aria-describedby="problem"');
  });

  it('R104 every field has a label and the right autocomplete', () => {
    const page = login();
    expect(page.html).toMatch(/<label for="username">.*\n<input id="username" [^>]*autocomplete="username"/);
    expect(page.html).toMatch(/<label for="password">.*\n<input id="password" [^>]*autocomplete="current-password"/);
  });

  it('R17 R92 posts the token and the transaction, and nothing of the request', () => {
    const names = tags(login(), 'input').map((tag) => / name="(\w+)"/.exec(tag)?.[1]);
    expect(names).toEqual(['csrf', 'transaction', 'username', 'password']);
  });

  it('says who asks and where the answer goes', () => {
    const text = words(login());
    expect(text).toContain('report-builder asks to use the platform in your name');
    expect(text).toContain('The answer goes to 127.0.0.1:8731, a program on this computer.');
  });
});

describe('consent', () => {
  it('R16 names client, owner, scope, user and redirect host, and what the scope means', () => {
    const text = words(consent());
    expect(text).toContain('Let report-builder act for you?');
    expect(text).toContain('Use the whole platform in your name');
    expect(text).toContain('Sent to 127.0.0.1:8731, a program on this computer');
    expect(text).toContain('Owner bob, a user of this platform');
    expect(text).toContain('Scope PRODUCTION');
    expect(text).toContain('In its words Builds the weekly report.');
    expect(text).toContain('You are signed in as alice.');
  });

  it('R16 says "you" of a client of one\'s own, and nothing of a description that is not there', () => {
    const text = words(consent({ clientOwner: 'alice', clientDescription: '' }));
    expect(text).toContain('Owner you Scope');
    expect(text).not.toContain('In its words');
  });

  it.each<[ConsentModel['flow'], number, string]>([
    ['code', 14_400, 'For 4 hours at a time; it can renew that by itself until it is revoked'],
    ['token', 3_600, 'For 1 hour at most; then it must ask again'],
    ['token', 90, 'For 2 minutes at most; then it must ask again'],
  ])('says how long the %s flow lasts with %d s', (flow, expiresIn, text) => {
    expect(words(consent({ flow, expiresIn }))).toContain(text);
  });

  it('R15 deny and approve differ in their words alone, and deny comes first', () => {
    const [deny = '', approve = ''] = tags(consent(), 'button');
    expect(deny).toBe('<button type="submit" name="decision" value="deny">');
    expect(approve).toBe(deny.replace('deny', 'approve'));
  });

  it('R17 R92 both forms post the token and the transaction, and nothing of the request', () => {
    const names = tags(consent(), 'input').map((tag) => / name="(\w+)"/.exec(tag)?.[1]);
    expect(names).toEqual(['csrf', 'transaction', 'csrf', 'transaction']);
  });

  it.each([
    ['https://app.example.com:8443/callback', 'Sent to app.example.com:8443 Owner'],
    ['https://xn--pple-43d.com/', 'Sent to xn--pple-43d.com Owner'],
    ['http://[::1]:8731/callback', 'Sent to [::1]:8731, a program on this computer'],
    ['com.example.app:/callback', 'Sent to the program on this device that opens com.example.app: links'],
  ])('R104 %s is shown as a person can judge it', (redirectUri, text) => {
    expect(words(consent({ redirectUri }))).toContain(text);
  });

  it('shows a scope that it has no words for by its name', () => {
    expect(words(consent({ scopes: ['OTHER'] }))).toContain('OTHER');
  });
});

describe('error and logout', () => {
  it('R07 has the status it is given, and says what happened, why, and what to do next, in an alert', () => {
    const page = failure({ status: 421 });
    expect(page.status).toBe(421);
    expect(page.html).toContain('<div role="alert">');
    expect(words(page)).toContain(
      'Not registered The program is unknown. Go back to the program that sent you here and start again. Request run-1.',
    );
    expect(words(failure({ next: 'Close this page.' }))).toContain('The program is unknown. Close this page.');
  });

  it('R07 links nowhere', () => {
    expect(failure({ text: 'https://evil.example/' }).html).not.toMatch(/href|<form/);
  });

  it('a logout says who is gone, and what is left', () => {
    expect(words(signedOutPage({ username: 'alice' }))).toContain('alice is no longer signed in here.');
    expect(words(signedOutPage({}))).toContain('This browser is no longer signed in here.');
  });
});

describe('duration', () => {
  it.each([
    [1, '1 second'],
    [0, '1 second'],
    [59.2, '60 seconds'],
    [61, '2 minutes'],
    [3_600, '1 hour'],
    [5_400, '90 minutes'],
    [14_400, '4 hours'],
  ])('%d s is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
