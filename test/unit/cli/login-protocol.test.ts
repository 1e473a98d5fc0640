// The rules of the browser login: addresses, responses, pasted text, and pages read as forms.
import { describe, expect, it } from 'vitest';
import { loginPage } from '../../../daemon/oauth/pages/login.ts';
import { challengeOf, newAttempt } from '../../../src/client/login/attempt.ts';
import { authorizeUrl, codeIn, codeOf, readPasted, tokenOf } from '../../../src/client/login/authorize.ts';
import { complaintOf, formsOf } from '../../../src/client/login/forms.ts';
import { render } from '../../../src/commands/tools/env.ts';
import { CliFailure } from '../../../src/failure.ts';
import { createBrowser } from '../../../src/ui/browser.ts';

const expected = { state: 's t/ü', issuer: 'http://127.0.0.1:8722' };
const answer = (fields: Record<string, string>) =>
  new URLSearchParams({ state: expected.state, iss: expected.issuer, ...fields });
const codeOfFailure = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof CliFailure) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('R160 a login attempt', () => {
  it('has a new state and a new verifier of 256 bits each time', () => {
    const [one, two] = [newAttempt(), newAttempt()];
    expect(one.state).not.toBe(two.state);
    expect(one.verifier).not.toBe(two.verifier);
    expect(Buffer.from(one.verifier, 'base64url')).toHaveLength(32);
  });

  it('has the challenge of RFC 7636 appendix B for its verifier', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });

  it('sends all required parameters, encoded', () => {
    const url = authorizeUrl({
      origin: 'http://127.0.0.1:8722',
      clientId: 'a&b',
      redirectUri: 'http://127.0.0.1:8731/callback',
      responseType: 'token',
      state: expected.state,
      showDialog: true,
    });
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'token',
      client_id: 'a&b',
      redirect_uri: 'http://127.0.0.1:8731/callback',
      scope: 'PRODUCTION',
      state: expected.state,
      show_dialog: 'true',
    });
  });
});

describe('R160 a response', () => {
  it('to the current attempt gives its code or token', () => {
    expect(codeOf(answer({ code: 'c' }), expected)).toBe('c');
    expect(tokenOf(answer({ access_token: 't', token_type: 'Bearer', expires_in: '3600' }), expected)).toMatchObject({
      access_token: 't',
      expires_in: 3_600,
    });
  });

  it('needs no issuer if the service metadata says that it sends none', () => {
    expect(codeOf(new URLSearchParams({ state: 's', code: 'c' }), { state: 's' })).toBe('c');
  });

  it.each([
    [{ error: 'access_denied' }, 'ACCESS_DENIED: the login was denied'],
    [
      { error: 'invalid_scope', error_description: 'no such scope' },
      'AUTH_FAILED: the service refused the login: no such scope',
    ],
    [{ error: 'access_denied', state: 'other' }, 'AUTH_FAILED: refused the login response: its state'],
    [{ code: 'c', iss: 'http://evil.test' }, 'AUTH_FAILED: refused the login response: its issuer is http://evil.test'],
    [{ code: 'c', iss: '' }, 'AUTH_FAILED: refused the login response: it does not name its issuer'],
    [{}, 'AUTH_FAILED: refused the login response: it contains no code'],
  ])('%j is refused', (fields, message) => {
    expect(codeOfFailure(() => codeOf(answer(fields), expected))).toContain(message);
  });

  it.each([
    [{ error: 'access_denied' }, 'ACCESS_DENIED: the login was denied'],
    [{}, 'AUTH_FAILED: refused the login response: it contains no code'],
    [{ code: '' }, 'AUTH_FAILED: refused the login response: it contains no code'],
  ])('%j of an unknown request is refused', (fields, message) => {
    expect(codeOfFailure(() => codeIn(new URLSearchParams(fields)))).toContain(message);
  });

  it('without a lifetime in seconds gives no token', () => {
    expect(codeOfFailure(() => tokenOf(answer({ access_token: 't' }), expected))).toContain('it contains no token');
  });
});

describe('pasted text', () => {
  const redirectUri = 'http://127.0.0.1:8731/callback';
  it.each([
    ['a whole address', `  ${redirectUri}?code=c&state=s \n`, 'c'],
    ['its query', '?code=c&state=s', 'c'],
    ['its parameters', 'code=c&state=s', 'c'],
    ['a quoted address', `"${redirectUri}?code=c&state=s"`, 'c'],
    ['an address in typographic quotes', `\u201c${redirectUri}?code=c&state=s\u201d`, 'c'],
    ['an address in angle brackets', `<${redirectUri}?code=c&state=s>`, 'c'],
    ['an address with escaped ampersands', `${redirectUri}?code=c&amp;state=s`, 'c'],
    ['an address that a shell escaped', `${redirectUri}\\?code\\=c\\&state\\=s`, 'c'],
    ['an address without its scheme', `${redirectUri.slice('http://'.length)}?code=c&state=s`, 'c'],
    ['an address of several lines', `${redirectUri}?code=c\n  &state=s`, 'c'],
  ])('is accepted as %s', (_name, text, code) => {
    const pasted = readPasted(text, redirectUri);
    expect(pasted.kind === 'answer' && pasted.parameters.get('code')).toBe(code);
  });

  it('is accepted as an address with a fragment, or as a code alone', () => {
    const token = readPasted(`${redirectUri}#access_token=t&state=s`, redirectUri);
    expect(token.kind === 'answer' && token.parameters.get('access_token')).toBe('t');
    expect(readPasted('abcDEF_-12', redirectUri)).toEqual({ kind: 'code', code: 'abcDEF_-12' });
  });

  it('R241 is named if it is the address to open', () => {
    const url = `http://127.0.0.1:8722/authorize?redirect_uri=${encodeURIComponent(redirectUri)}&state=s`;
    for (const text of [url, `<${url}>`]) {
      expect(codeOfFailure(() => readPasted(text, redirectUri))).toContain('that is the address to open in a browser');
    }
  });

  it.each(['', 'x', 'http://evil.test/callback?code=c', 'http://127.0.0.1:8732/callback?code=c', 'two words of it'])(
    'is refused in any other form: %j',
    (text) => {
      expect(codeOfFailure(() => readPasted(text, redirectUri))).toContain('refused the login response');
    },
  );
});

describe('the pages of the service', () => {
  it('give their forms, with the hidden fields unescaped', () => {
    const { html } = loginPage({
      action: '/authorize/login',
      csrf: 'a"b&<c>',
      transaction: "t'1",
      clientName: 'x',
      redirectUri: 'http://127.0.0.1:8731/callback',
      asksNext: true,
      problem: 'wrong',
    });
    expect(formsOf(html)[0]).toEqual({
      action: '/authorize/login',
      fields: { csrf: 'a"b&<c>', transaction: "t'1" },
    });
    expect(complaintOf(html)).toBe('That username and password do not belong together. Check both and try again.');
  });

  it('give no form and no error message if they are not HTML', () => {
    expect(formsOf('{"error":"x"}')).toEqual([]);
    expect(complaintOf('{"error":"x"}')).toBeUndefined();
  });
});

describe('a browser', () => {
  it.each([
    ['over SSH', { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22', DISPLAY: ':0' }, 'this is an SSH session'],
    ['in a codespace', { CODESPACES: 'true', DISPLAY: ':0' }, 'this is a container'],
    ['where it is switched off', { ACTORCTL_BROWSER: 'none', DISPLAY: ':0' }, 'it is switched off'],
  ])('is not opened %s', (_name, env, absence) => {
    expect(createBrowser({ env, platform: 'linux' }).absence()).toBe(absence);
  });

  it('is opened if BROWSER names one, whatever else applies', () => {
    const env = { BROWSER: 'firefox:chromium', SSH_CONNECTION: 'a b c d' };
    expect(createBrowser({ env, platform: 'linux' }).absence()).toBeUndefined();
  });

  it('that cannot be started does not stop the login', async () => {
    const { open } = createBrowser({ env: { ACTORCTL_BROWSER: '/no/such/browser %s' }, platform: 'linux' });
    expect(await open('http://127.0.0.1:1/')).toBe('/no/such/browser cannot be started (ENOENT)');
  });

  it('over SSH is suggested with a tunnel command', () => {
    const env = { SSH_CONNECTION: '10.0.0.1 5000 10.0.0.2 22', USER: 'ana' };
    expect(createBrowser({ env, platform: 'linux' }).tunnel([8722, 8731])).toBe(
      'ssh -L 8722:127.0.0.1:8722 -L 8731:127.0.0.1:8731 ana@10.0.0.2',
    );
    expect(createBrowser({ env: {}, platform: 'linux' }).tunnel([1])).toBeUndefined();
  });
});

describe('shell variables', () => {
  const nasty = `a'b"c$d\`e\\f`;
  it.each([
    ['sh', `export X='a'\\''b"c$d\`e\\f'`],
    ['fish', `set -gx X 'a\\'b"c$d\`e\\\\f'`],
    ['powershell', `$Env:X = 'a''b"c$d\`e\\f'`],
    ['dotenv', `X="a'b\\"c\\$d\\\`e\\\\f"`],
    ['github', `X=${nasty}`],
  ] as const)('are quoted for %s', (shell, expected) => {
    expect(render(shell, { X: nasty })).toBe(expected);
  });

  it('cannot contain a second assignment', () => {
    expect(codeOfFailure(() => render('github', { X: 'a\nPATH=b' }))).toContain('has several lines');
  });
});
