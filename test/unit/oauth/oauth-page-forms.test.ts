// The login page and the consent page as text: the message for every problem, their content, and the fields that they
// post.
import { describe, expect, it } from 'vitest';
import type { LoginProblem } from '../../../daemon/oauth/pages/model.ts';
import { consent, login, tags, words } from '../../support/browser/oauth-pages.ts';

describe('the login page', () => {
  it.each<[string, LoginProblem, number, string]>([
    ['wrong credentials', 'wrong', 401, 'That username and password do not belong together. Check both and try again.'],
    [
      'an expired form',
      'expired',
      400,
      'This page has expired, or your session has ended. Nothing was approved. Log in again to continue.',
    ],
    [
      'too many attempts',
      { kind: 'throttled', retryAfter: 32 },
      429,
      'There were too many attempts. Wait 32 seconds, then try again.',
    ],
  ])('shows the problem after %s, in an alert for screen readers', (_what, problem, status, text) => {
    const page = login({ username: 'alice', problem });
    expect(page.status).toBe(status);
    expect(page.html).toContain(`<p class="problem" id="problem" role="alert">${text}</p>`);
    expect(page.html).toContain('<title>Problem: Log in');
  });

  it('R76 also sends the seconds to wait in Retry-After', () => {
    expect(login({ problem: { kind: 'throttled', retryAfter: 61 } }).headers['Retry-After']).toBe('61');
    expect(login({ problem: 'wrong' }).headers['Retry-After']).toBeUndefined();
  });

  it('has status 200 and no alert without a problem', () => {
    expect(login().status).toBe(200);
    expect(login().html).not.toContain('role="alert"');
  });

  it('R103 never contains a password, keeps the username, and focuses the field to fill in', () => {
    const page = login({ username: 'alice', problem: 'wrong' });
    const [username = '', password = ''] = tags(page, 'input').filter((tag) => !tag.includes('hidden'));
    expect(username).toContain('value="alice"');
    expect(username).not.toContain('autofocus');
    expect(password).not.toContain('value=');
    expect(password).toContain('autofocus');
    expect(password).toContain('aria-describedby="problem"');
  });

  it('R104 has a label and the right autocomplete for every field', () => {
    const page = login();
    expect(page.html).toMatch(/<label for="username">.*\n<input id="username" [^>]*autocomplete="username"/);
    expect(page.html).toMatch(/<label for="password">.*\n<input id="password" [^>]*autocomplete="current-password"/);
  });

  it('R17 R92 posts the token and the transaction, and no other part of the request', () => {
    const names = tags(login(), 'input').map((tag) => / name="(\w+)"/.exec(tag)?.[1]);
    expect(names).toEqual(['csrf', 'transaction', 'username', 'password']);
  });

  it('names the client and the address that gets the response', () => {
    const text = words(login());
    expect(text).toContain('report-builder asks to use the platform in your name');
    expect(text).toContain('The response goes to 127.0.0.1:8731, a program on this computer.');
  });
});

describe('the consent page', () => {
  it('R16 names client, owner, scope, user and redirect host, and explains the scope', () => {
    const text = words(consent());
    expect(text).toContain('Let report-builder act for you?');
    expect(text).toContain('Use the whole platform in your name');
    expect(text).toContain('Sent to 127.0.0.1:8731, a program on this computer');
    expect(text).toContain('Owner bob, a user of this platform');
    expect(text).toContain('Scope PRODUCTION');
    expect(text).toContain('Client says Builds the weekly report.');
    expect(text).toContain('You are logged in as alice.');
  });

  it('R16 says "you" for the user\'s own client, and omits a missing description', () => {
    const text = words(consent({ clientOwner: 'alice', clientDescription: '' }));
    expect(text).toContain('Owner you Scope');
    expect(text).not.toContain('Client says');
  });

  it.each<[renews: boolean, number, string]>([
    [
      true,
      14_400,
      'For 4 hours at a time. It can renew the access until its owner ends that, or your password is changed.',
    ],
    [false, 3_600, 'For 1 hour at most. After that it must ask again.'],
    [false, 90, 'For 2 minutes at most. After that it must ask again.'],
  ])('states the lifetime of an access that is renewed (%s) after %d s', (isRenewable, expiresIn, text) => {
    expect(words(consent({ isRenewable, expiresIn }))).toContain(text);
  });

  it('R15 has deny and approve buttons that differ in their text only, deny first', () => {
    const [deny = '', approve = ''] = tags(consent(), 'button');
    expect(deny).toBe('<button type="submit" name="decision" value="deny">');
    expect(approve).toBe(deny.replace('deny', 'approve'));
  });

  it('R17 R92 posts the token and the transaction in both forms, and no other part of the request', () => {
    const names = tags(consent(), 'input').map((tag) => / name="(\w+)"/.exec(tag)?.[1]);
    expect(names).toEqual(['csrf', 'transaction', 'csrf', 'transaction']);
  });

  it.each([
    ['https://app.example.com:8443/callback', 'Sent to app.example.com:8443 Owner'],
    ['https://xn--pple-43d.com/', 'Sent to xn--pple-43d.com Owner'],
    ['http://[::1]:8731/callback', 'Sent to [::1]:8731, a program on this computer'],
    ['com.example.app:/callback', 'Sent to the program on this device that opens com.example.app: links'],
    ['com.example.app://[x', 'Sent to the program on this device that opens com.example.app: links'],
    ['https://999.1.1.1/cb', 'Sent to https://999.1.1.1/cb Owner'],
  ])('R104 shows %s in readable form', (redirectUri, text) => {
    expect(words(consent({ redirectUri }))).toContain(text);
  });

  it('shows the name of a scope without explanation', () => {
    expect(words(consent({ scopes: ['OTHER'] }))).toContain('OTHER');
  });
});
