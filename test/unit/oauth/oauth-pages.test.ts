// The pages of the authorization service as text: headers, escaping, errors, logout.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { escaped, html } from '../../../daemon/http/response/html.ts';
import { duration } from '../../../daemon/oauth/pages/client.ts';
import { redirectSource } from '../../../daemon/oauth/pages/headers.ts';
import { signedOutPage } from '../../../daemon/oauth/pages/signed-out.ts';
import { usedLinkPage } from '../../../daemon/oauth/pages/used-link.ts';
import { consent, directives, failure, login, pages, tags, words } from '../../support/browser/oauth-pages.ts';

describe.each(Object.entries(pages))('the page "%s"', (_name, page) => {
  it('R97 cannot be framed', () => {
    expect(directives(page).get('frame-ancestors')).toBe("'none'");
    expect(page.headers['X-Frame-Options']).toBe('DENY');
  });

  it('R98 loads nothing: no script, no other origin, and its style is allowed by hash', () => {
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

  it('R99 keeps the Origin header on its own form posts, and sends no referrer to other sites', () => {
    expect(page.headers['Referrer-Policy']).toBe('same-origin');
  });

  it('R101 is not cached', () => {
    expect(page.headers['Cache-Control']).toBe('no-store');
  });

  it('R104 has a language, a title, one heading and a viewport for phones', () => {
    expect(page.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page.html).toMatch(/<title>[^<]+ · actorctl<\/title>/);
    expect(tags(page, 'h1')).toHaveLength(1);
    expect(tags(page, 'main')).toHaveLength(1);
    expect(page.html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  });

  it('R102 posts its forms to the service itself, or opens the dashboard', () => {
    for (const form of tags(page, 'form'))
      expect(form).toMatch(/ method="post" action="\/authorize\/(login|consent|logout)"| method="get" action="\/"/);
  });
});

describe('form-action', () => {
  it('R100 of the login allows the service itself and the address of the response', () => {
    expect(directives(login()).get('form-action')).toBe("'self' http://127.0.0.1:8731");
  });

  it('R100 of the implicit consent allows the service itself and the client', () => {
    expect(directives(consent({ flow: 'token' })).get('form-action')).toBe("'self' http://127.0.0.1:8731");
  });

  it('R100 of the code consent is absent, because the client may redirect to other sites', () => {
    expect(directives(consent({ flow: 'code' })).has('form-action')).toBe(false);
  });

  it('R100 of pages without a form allows no form', () => {
    expect(directives(failure()).get('form-action')).toBe("'none'");
  });

  it('R100 of pages that open the dashboard allows the service itself', () => {
    expect(directives(signedOutPage({})).get('form-action')).toBe("'self'");
    expect(directives(usedLinkPage()).get('form-action')).toBe("'self'");
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
    ['HTTPS://999.1.1.1/cb', 'https:'],
    ['com.example.app://[x', 'com.example.app:'],
  ])('R100 allows %s as %s', (uri, source) => {
    expect(redirectSource(uri)).toBe(source);
  });
});

describe('text from others', () => {
  const hostile = `</bdi></title></style><script>alert(1)</script>" autofocus onfocus='x' &amp; \u0000\r\n\u202e\u2066\ud800 end`;

  it('R21 is escaped on every page in every position', () => {
    const reflecting = [
      login({ csrf: hostile, transaction: hostile, clientName: hostile, username: hostile }),
      consent({ csrf: hostile, transaction: hostile, clientName: hostile, clientDescription: hostile }),
      consent({ clientOwner: hostile, username: hostile, scopes: [hostile] }),
      failure({ title: hostile, text: hostile, next: hostile, requestId: hostile }),
      signedOutPage({ username: hostile, tenant: hostile }),
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

  it('R20 never gets into a header', () => {
    const page = login({ clientName: 'a\r\nSet-Cookie: b=c', redirectUri: 'https://a;sandbox/cb' });
    expect(JSON.stringify(page.headers)).not.toMatch(/Set-Cookie|sandbox|\\r|\\n/);
  });

  it('R21 keeps its own text direction', () => {
    expect(consent({ clientName: 'עברית' }).html).toContain('<bdi class="name">עברית</bdi>');
  });

  it('R21 is shown unchanged in any script, with joined emoji', () => {
    expect(escaped('Grüße, 日本 👩‍💻')).toBe('Grüße, 日本 👩‍💻');
  });

  it('R16 is truncated if it is a long description, and follows the facts', () => {
    const text = words(consent({ clientDescription: 'so good '.repeat(500) }));
    expect(text).toMatch(/Sent to .* Owner .* Scope .* Client says so good .{100,160}…/);
    expect(text.length).toBeLessThan(900);
  });
});

describe('the html tag', () => {
  it('escapes text, keeps markup, joins lists and omits undefined', () => {
    const list = [html`<i>${'<'}</i>`, html`<b>${1}</b>`];
    expect(html`a${'"'}b${list}${undefined}c`.markup).toBe('a&quot;b<i>&lt;</i><b>1</b>c');
  });
});

describe('the error and logout pages', () => {
  it('R07 an error has its status, and an alert with the problem, the reason and the next step', () => {
    const page = failure({ status: 421 });
    expect(page.status).toBe(421);
    expect(page.html).toContain('<div role="alert">');
    expect(words(page)).toContain(
      'Not registered The program is unknown. Go back to the program that sent you here and start again. Request run-1.',
    );
    expect(words(failure({ next: 'Close this page.' }))).toContain('The program is unknown. Close this page.');
  });

  it('R07 an error has no link', () => {
    expect(failure({ text: 'https://evil.example/' }).html).not.toMatch(/href|<form/);
  });

  it('a logout names the user who logged out, and the logins that remain', () => {
    expect(words(signedOutPage({ username: 'alice' }))).toContain('alice is no longer logged in here.');
    expect(words(signedOutPage({}))).toContain('This browser is no longer logged in here.');
  });
});

describe('a duration', () => {
  it.each([
    [1, '1 second'],
    [0, '1 second'],
    [59.2, '60 seconds'],
    [61, '2 minutes'],
    [3_600, '1 hour'],
    [5_400, '90 minutes'],
    [14_400, '4 hours'],
  ])('%d s is shown as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
