// Redirect URIs: which ones a client may register.
import { describe, expect, it } from 'vitest';
import { redirectUriFault } from '../../../daemon/domain/oauth/client-description.ts';

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
    'https://a/cb',
    'https://app.example:1/',
    'https://app.example:65535/',
    'https://[2001:0:db8::1]/cb',
    // Releases of Node decode different labels.
    'https://xn--a/cb',
    'https://www.XN--zzzzzz.example/',
    `https://app.example/${'a'.repeat(2_028)}`,
  ])('%s may be registered', (uri) => {
    expect(redirectUriFault(uri)).toBeUndefined();
  });

  it.each<[string, string[]]>([
    ['longer than 2048 characters', [`https://app.example/${'a'.repeat(2_029)}`]],
    [
      'a character that is not allowed',
      [
        '',
        'https://app.example\\@evil/',
        'https://app.example/a b',
        'https://app.example/a\nb',
        'https://app.example/\u0000',
        'https://app.example/ü',
      ],
    ],
    ['has a fragment', ['https://app.example/#fragment', 'https://app.example/#']],
    ['has a wildcard', ['https://*.example/cb', 'https://app.example/*']],
    ['is not absolute', ['/callback', '/callback:8080', 'app.example/callback', '//app.example/callback']],
    [
      'which is never allowed',
      [
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'vbscript:x',
        'blob:https://app.example/x',
        'about:blank',
        'filesystem:https://app.example/x',
        'view-source:https://app.example/x',
      ],
    ],
    [
      'contains a user name',
      ['https://user@app.example/', 'https://user:secret@app.example/', 'com.example.app://user@callback'],
    ],
    ['a scheme with a dot in it', ['myapp:/callback', 'ftp://app.example/', 'com.example.app:']],
    [
      'names no host',
      [
        'https:',
        'https://',
        'https:///path',
        'https:/app.example',
        'https://.example/',
        'https://app.example:99999x/',
        'https://app.example:123456/',
        'https://-app.example/',
      ],
    ],
    ['has an invalid port', ['https://app.example:65536/', 'https://app.example:0/']],
    [
      'cannot be parsed',
      ['https://999.1.1.1/cb', 'https://[::::]/cb', 'com.example.app://host:99999', 'com.example.app://[x'],
    ],
    [
      'plain http to another machine',
      [
        'http://app.example/callback',
        'http://127.0.0.1.evil.example/',
        'http://127.0.0.2/',
        'http://localhost.evil/',
        'http://my.localhost/',
        'http://2130706433/',
      ],
    ],
  ])('that %s may not be registered', (fault, uris) => {
    for (const uri of uris) expect(redirectUriFault(uri), uri).toContain(fault);
  });
});
