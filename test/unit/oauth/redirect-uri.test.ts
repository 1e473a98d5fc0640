// Redirect URIs: which ones a client may register.
import { describe, expect, it } from 'vitest';
import { redirectUriFault } from '../../../daemon/domain/oauth/redirect-uri.ts';

describe('R06 a redirect URI', () => {
  it.each([
    'https://app.example/callback',
    'https://app.example:8443/callback?x=1&y=%20',
    'https://app.example',
    'https://[2001:db8::1]/cb',
    'http://127.0.0.1:8731/callback',
    'http://localhost/callback',
    'http://[::1]:3000/',
    'com.example.app:/callback',
    'com.example.app://callback',
    'HTTPS://App.Example/CB',
  ])('%s may be registered', (uri) => {
    expect(redirectUriFault(uri)).toBeUndefined();
  });

  it.each([
    '',
    '/callback',
    'app.example/callback',
    '//app.example/callback',
    'https:',
    'https://',
    'https:///path',
    'https:/app.example',
    'https://app.example/#fragment',
    'https://app.example/#',
    'https://*.example/cb',
    'https://app.example/*',
    'https://user@app.example/',
    'https://user:secret@app.example/',
    'https://app.example\\@evil/',
    'https://app.example:99999/',
    'https://app.example:0/',
    'https://.example/',
    'http://app.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.2/',
    'http://localhost.evil/',
    'http://2130706433/',
    'myapp:/callback',
    'ftp://app.example/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://app.example/x',
    'https://app.example/a b',
    'https://app.example/a\nb',
    'https://app.example/\u0000',
    'https://app.example/ü',
    `https://app.example/${'a'.repeat(2_048)}`,
  ])('%j may not be registered', (uri) => {
    expect(redirectUriFault(uri)).toEqual(expect.any(String));
  });
});
