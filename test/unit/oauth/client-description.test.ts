// The redirect URIs and grants of a client registration.
import { describe, expect, it } from 'vitest';
import { readGrants, readRedirectUris } from '../../../daemon/domain/oauth/client-description.ts';
import { grants } from '../../../src/contract/oauth/grants.ts';

const publicGrants = ['authorization_code', 'implicit', 'refresh_token'];

describe('the callback URL of a client', () => {
  it.each([
    ['', []],
    ['https://a.example/cb', ['https://a.example/cb']],
    [' https://a.example/cb , ,http://localhost/cb,', ['https://a.example/cb', 'http://localhost/cb']],
    ['https://a.example/cb,https://a.example/cb', ['https://a.example/cb']],
  ])('%j is the list %j', (text, uris) => {
    expect(readRedirectUris(text)).toEqual(uris);
  });

  it('an error names a bad URI by its position, not by its text, which may contain a password', () => {
    expect(() => readRedirectUris('https://a.example/cb,https://ana:secret@b.example')).toThrow(
      expect.objectContaining({
        code: 'VALIDATION',
        detail: { field: 'callbackUrl' },
        message: 'callbackUrl: URI 2 contains a user name.',
      }),
    );
  });
});

describe('the grants of a client', () => {
  it('are all that its kind may have when none is requested', () => {
    expect(grants).toEqual(['authorization_code', 'implicit', 'password', 'client_credentials', 'refresh_token']);
    for (const given of [undefined, '', ' , ', []]) {
      expect(readGrants(given, false)).toEqual(grants);
      expect(readGrants(given, true)).toEqual(publicGrants);
    }
  });

  it.each([
    ['implicit, password\tpassword', false, ['implicit', 'password']],
    [['refresh_token', 'implicit', 'refresh_token'], true, ['refresh_token', 'implicit']],
  ])('%j is read without duplicates', (given, isPublic, grants) => {
    expect(readGrants(given, isPublic)).toEqual(grants);
  });

  it.each([
    ['Implicit', false, `grants must be among ${grants.join(', ')}.`],
    [['implicit', 'constructor'], true, `grants must be among ${grants.join(', ')}.`],
    [
      'implicit,password',
      true,
      `grants: password needs a secret, which a public client does not have. Use ${publicGrants.join(', ')}.`,
    ],
  ])('%j is refused with a sentence', (given, isPublic, message) => {
    expect(() => readGrants(given, isPublic)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message, detail: { field: 'grants' } }),
    );
  });
});
