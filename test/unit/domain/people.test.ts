// Tenants, usernames, profiles, and what happens to the resources of a deleted user.
import { describe, expect, it } from 'vitest';
import {
  fieldsBeyondHeir,
  type UserRemoval,
  withoutLinkSetter,
  withoutListSetter,
  withoutPointer,
  withoutUser,
} from '../../../daemon/domain/people/ownership-transfer.ts';
import { toProfile } from '../../../daemon/domain/people/profile.ts';
import { isFirstTenant, managedTenant, withLifetimes } from '../../../daemon/domain/people/tenant.ts';
import { isReservedUsername } from '../../../daemon/domain/people/username.ts';
import type { UserRecord } from '../../../daemon/domain/records/account-records.ts';
import type { AliasRecord, ConfigRecord } from '../../../daemon/domain/records/resource-records.ts';
import { actorRecord } from '../../support/service/records.ts';

describe('a username', () => {
  it.each(['ABACO_WORLD', 'Abaco_World', 'me', 'ME', '__proto__', 'constructor', 'Prototype'])(
    '%s is reserved',
    (name) => expect(isReservedUsername(name)).toBe(true),
  );
  it.each(['ana', 'mel', 'world'])('%s is free', (name) => expect(isReservedUsername(name)).toBe(false));
});

describe('tenants', () => {
  const tenants = ['DEV', 'LAB'].map((id) => ({ id, name: id, lifetimes: {}, createdAt: 0 }));

  it('the oldest is the first', () => {
    expect(isFirstTenant('DEV', tenants)).toBe(true);
    expect(isFirstTenant('LAB', tenants)).toBe(false);
    expect(isFirstTenant('DEV', [])).toBe(false);
  });

  it.each<[string, string | undefined, string]>([
    ['LAB', undefined, 'LAB'],
    ['LAB', 'LAB', 'LAB'],
    ['DEV', 'LAB', 'LAB'],
  ])('an admin of %s who names %s manages %s', (tenant, named, managed) => {
    expect(managedTenant({ tenant }, named, tenants)).toBe(managed);
  });

  it.each([
    ['LAB', 'DEV', 'FORBIDDEN', /^You can manage only your own tenant/],
    ['LAB', 'NONE', 'FORBIDDEN', /^You can manage only your own tenant/],
    ['DEV', 'NONE', 'NOT_FOUND', /^There is no tenant "NONE"\.$/],
  ])('an admin of %s who names %s is refused with %s', (tenant, named, code, message) => {
    expect(() => managedTenant({ tenant }, named, tenants)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('given lifetimes replace those of the tenant, up to the maximum', () => {
    expect(withLifetimes({ password: 60, implicit: 61 }, { implicit: 9_999, client_credentials: 62 })).toEqual({
      password: 60,
      implicit: 3_600,
      client_credentials: 62,
    });
    expect(withLifetimes({ password: 60 })).toEqual({ password: 60 });
  });
});

describe('a profile', () => {
  const profile = { email: 'a@b.c', firstName: 'Ana', lastName: 'Lima', phone: '1', mobilePhone: '2' };
  const user: UserRecord = {
    tenant: 'DEV',
    username: 'ana b',
    passwordHash: '',
    roles: ['user'],
    uid: 7,
    profile,
    createdAt: Date.UTC(2026, 2, 1, 12, 1, 7, 412),
  };

  it('has each name in snake case and in camel case, and empty texts for what is unknown', () => {
    expect(toProfile(user, 'http://h')).toEqual({
      username: 'ana b',
      email: 'a@b.c',
      first_name: 'Ana',
      last_name: 'Lima',
      full_name: 'Ana Lima',
      phone: '1',
      mobile_phone: '2',
      status: 'Active',
      uid: 7,
      create_time: '20260301120107Z',
      firstName: 'Ana',
      lastName: 'Lima',
      position: '',
      institution: '',
      fax: '',
      researchArea: '',
      department: '',
      city: '',
      state: '',
      country: '',
      gender: '',
      _links: { self: { href: 'http://h/profiles/v2/ana%20b' }, users: { href: 'http://h/profiles/v2' } },
    });
  });

  it.each([
    ['Ana', '', 'Ana'],
    ['', 'Lima', 'Lima'],
    ['', '', 'ana b'],
  ])('with the names %j and %j has the full name %j', (firstName, lastName, full_name) => {
    expect(toProfile({ ...user, profile: { ...profile, firstName, lastName } }, '')).toMatchObject({ full_name });
  });
});

describe('the deletion of a user', () => {
  const departure = (changes: Partial<UserRemoval> = {}): UserRemoval => ({
    username: 'ana',
    heir: 'bob',
    stays: (name) => name === 'bob' || name === 'cleo',
    now: 9,
    ...changes,
  });
  const thing = (owner: string, permissions: Record<string, 'READ' | 'UPDATE'>) => ({
    owner,
    permissions,
    updatedAt: 1,
  });

  it('transfers the resources of the user to the heir, with UPDATE', () => {
    expect(withoutUser(thing('ana', { ana: 'UPDATE', cleo: 'UPDATE' }), departure())).toEqual({
      owner: 'bob',
      permissions: { bob: 'UPDATE', cleo: 'UPDATE' },
      updatedAt: 9,
    });
    expect(withoutUser(thing('ana', { cleo: 'UPDATE' }), departure())).toMatchObject({ owner: 'bob', updatedAt: 9 });
  });

  it("removes the user's permissions on resources of others, and UPDATE returns to an owner without any", () => {
    expect(withoutUser(thing('cleo', { ana: 'READ', cleo: 'UPDATE' }), departure())).toEqual({
      owner: 'cleo',
      permissions: { cleo: 'UPDATE' },
      updatedAt: 9,
    });
    expect(withoutUser(thing('cleo', { ana: 'UPDATE' }), departure({ heir: undefined }))).toMatchObject({
      owner: 'cleo',
      permissions: { cleo: 'UPDATE' },
    });
  });

  it('leaves a resource unchanged on which the user had no permission', () => {
    const theirs = thing('cleo', { cleo: 'UPDATE' });
    expect(withoutUser(theirs, departure())).toBe(theirs);
    const own = thing('ana', { cleo: 'UPDATE' });
    expect(withoutUser(own, departure({ heir: undefined }))).toBe(own);
  });

  it.each([
    ['bob', 'ana', 'bob'],
    ['bob', 'cleo', 'cleo'],
    ['ana', 'ana', 'ana'],
  ])('makes the owner %s responsible for settings made by %s: %s', (owner, setter, responsible) => {
    const actor = actorRecord('a', { owner, linkSetBy: setter });
    expect(withoutLinkSetter(actor, departure()).linkSetBy).toBe(responsible);
    expect(withoutLinkSetter(actor, departure()) === actor).toBe(setter === responsible);
    const config = { owner, listSetBy: setter } as ConfigRecord;
    expect(withoutListSetter(config, departure()).listSetBy).toBe(responsible);
    expect(withoutListSetter(config, departure()) === config).toBe(setter === responsible);
  });

  it('R122 leaves an alias that the user pointed without such a user, even if another user owns the alias', () => {
    const alias = { alias: 'prod', owner: 'bob', pointedBy: 'ana' } as AliasRecord;
    expect(withoutPointer(alias, departure())).toStrictEqual({ alias: 'prod', owner: 'bob' });
    const pointedByOther = { ...alias, pointedBy: 'cleo' };
    expect(withoutPointer(pointedByOther, departure())).toBe(pointedByOther);
  });

  it.each([
    [{}, ['user'], []],
    [{ queue: 'fast', privileged: true }, ['user'], ['privileged', 'queue']],
    [{ queue: 'fast', privileged: true }, ['privileged'], []],
    [{ image: 'file:/srv/a', maxCpus: 2 }, ['user'], ['image', 'maxCpus']],
    [{ image: 'file:/srv/a' }, ['privileged'], ['image']],
    [{ image: 'file:/srv/a' }, ['admin'], []],
  ] as const)(
    'an actor with %j has these fields that an heir with the roles %j could not set: %j',
    (fields, roles, beyond) => {
      expect(fieldsBeyondHeir(actorRecord('a', fields), { roles })).toEqual(beyond);
    },
  );
});
