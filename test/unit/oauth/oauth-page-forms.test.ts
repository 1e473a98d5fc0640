// The login page and the consent page as text: the words for every problem, what they show and what they post.
import { describe, expect, it } from 'vitest';
import type { ConsentModel, LoginProblem } from '../../../daemon/oauth/pages/model.ts';
import { consent, login, tags, words } from '../../support/browser/oauth-pages.ts';

describe('login', () => {
  it.each<[string, LoginProblem, number, string]>([
    ['wrong credentials', 'wrong', 401, 'That username and password do not belong together. Check both and try again.'],
    [
      'an expired form',
      'expired',
      400,
      'This page has expired, or your session has ended. Nothing was approved. Sign in again to continue.',
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
    ['code', 14_400, 'For 4 hours at a time. It can renew the access until you revoke it.'],
    ['token', 3_600, 'For 1 hour at most. After that it must ask again.'],
    ['token', 90, 'For 2 minutes at most. After that it must ask again.'],
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
