// Names of logged-in users, where users of several tenants have the same name.
import { describe, expect, it } from 'vitest';
import { areDifferent, userNames, usersNamed } from '../../../src/local/credentials/login-names.ts';

const user = (tenant: string | null, username: string) => ({ tenant, username });
const [lab, bio, unknown, bob] = [user('LAB', 'ana'), user('BIO', 'ana'), user(null, 'ana'), user('LAB', 'bob')];

describe('the names of users', () => {
  it('have the tenant where a name is shared', () => {
    expect(userNames([lab, bio, bob])).toEqual(['LAB/ana', 'BIO/ana', 'bob']);
    expect(userNames([lab, unknown])).toEqual(['LAB/ana', 'ana']);
    expect(userNames([{ tenant: null, username: null }])).toEqual(['unknown user']);
  });
  it.each([
    ['bob', [lab, bio, bob], [bob]],
    ['LAB/bob', [lab, bio, bob], [bob]],
    ['ana', [lab, bio, bob], [lab, bio]],
    ['BIO/ana', [lab, bio, bob], [bio]],
    ['ana', [lab, unknown], [unknown]],
    ['LAB/ana', [lab, unknown], [lab]],
    ['eve', [lab, unknown], []],
  ])('let %s mean exactly the users that have it', (name, users, expected) => {
    expect(usersNamed(users, name)).toEqual(expected);
  });
  it('of an unknown tenant can be the same user', () => {
    expect([areDifferent(lab, bio), areDifferent(lab, unknown), areDifferent(lab, bob)]).toEqual([true, false, true]);
  });
});
