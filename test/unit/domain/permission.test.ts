// Levels and roles: who passes, who does not.
import { describe, expect, it } from 'vitest';
import {
  checkPermission,
  effectiveLevel,
  explainVerdict,
  fieldsBeyondRoles,
  includesLevel,
  type Permissions,
  passesChecks,
  withLevel,
  withoutEntry,
} from '../../../daemon/domain/actors/permission.ts';
import { WORLD } from '../../../src/contract/actors/permissions.ts';
import { levels } from '../../../src/contract/operation.ts';

describe('levels', () => {
  it('include the weaker ones and no other', () => {
    for (const [strong, has] of levels.entries()) {
      for (const [weak, needed] of levels.entries()) expect(includesLevel(has, needed)).toBe(strong >= weak);
    }
  });

  const table: readonly (readonly [string, Permissions, string, string])[] = [
    ['no entry', {}, 'ana', 'NONE'],
    ['the own entry', { ana: 'READ' }, 'ana', 'READ'],
    ['the entry of somebody else', { bob: 'UPDATE' }, 'ana', 'NONE'],
    ['the entry of the world', { [WORLD]: 'EXECUTE' }, 'ana', 'EXECUTE'],
    ['a world above the own entry', { ana: 'READ', [WORLD]: 'UPDATE' }, 'ana', 'UPDATE'],
    ['a world below the own entry', { ana: 'EXECUTE', [WORLD]: 'READ' }, 'ana', 'EXECUTE'],
    ['an own NONE under a readable world', { ana: 'NONE', [WORLD]: 'READ' }, 'ana', 'READ'],
  ];
  for (const [name, permissions, username, level] of table) {
    it(`with ${name} amount to ${level}`, () => expect(effectiveLevel(permissions, username)).toBe(level));
  }

  it('R125 user names of the prototype have no level that nobody gave', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(effectiveLevel({ ana: 'UPDATE' }, name)).toBe('NONE');
      expect(effectiveLevel({ [name]: 'READ' }, name)).toBe('READ');
    }
  });
});

describe('roles', () => {
  it('pass checks of single objects for an admin only', () => {
    expect(passesChecks(['user', 'admin'])).toBe(true);
    expect(passesChecks(['privileged', 'user', 'limited'])).toBe(false);
    expect(passesChecks([])).toBe(false);
  });

  const asked = {
    privileged: true,
    maxWorkers: 2,
    memLimit: '1g',
    maxCpus: 1,
    queue: 'default',
    useContainerUid: true,
  };
  it('privileged and admin may set every field', () => {
    expect(fieldsBeyondRoles(asked, ['privileged'])).toEqual([]);
    expect(fieldsBeyondRoles(asked, ['admin'])).toEqual([]);
  });
  it('others may set none of the six, and each is named', () => {
    expect(fieldsBeyondRoles(asked, ['user', 'limited'])).toEqual([
      'privileged',
      'maxWorkers',
      'memLimit',
      'maxCpus',
      'queue',
      'useContainerUid',
    ]);
  });
  it('a field that asks for nothing needs no role', () => {
    expect(fieldsBeyondRoles({ privileged: false, useContainerUid: false }, ['user'])).toEqual([]);
  });
});

const isUser = (name: string) => ['ana', 'bob', 'root'].includes(name);

describe('giving a level', () => {
  it('replaces the one before and keeps all others', () => {
    const before: Permissions = { ana: 'UPDATE', bob: 'READ' };
    expect(withLevel(before, 'bob', 'EXECUTE', isUser)).toEqual({ ana: 'UPDATE', bob: 'EXECUTE' });
    expect(withLevel(before, 'bob', 'NONE', isUser)).toEqual({ ana: 'UPDATE', bob: 'NONE' });
    expect(withLevel(before, WORLD, 'READ', isUser)).toEqual({ ...before, [WORLD]: 'READ' });
    expect(before).toEqual({ ana: 'UPDATE', bob: 'READ' });
  });

  it('that somebody has already changes nothing', () => {
    const before: Permissions = { ana: 'UPDATE' };
    expect(withLevel(before, 'ana', 'UPDATE', isUser)).toBe(before);
  });

  it('R125 to a name of the prototype makes a member like any other', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const after = withLevel({ ana: 'UPDATE' }, name, 'READ', isUser);
      expect([Object.hasOwn(after, name), effectiveLevel(after, name)]).toEqual([true, 'READ']);
    }
  });

  const held: readonly (readonly [string, Permissions, boolean])[] = [
    ['nobody else has an entry', { ana: 'UPDATE' }, false],
    ['others may read and execute only', { ana: 'UPDATE', bob: 'EXECUTE', [WORLD]: 'READ' }, false],
    ['another user holds UPDATE', { ana: 'UPDATE', bob: 'UPDATE' }, true],
    ['everybody holds UPDATE', { ana: 'UPDATE', [WORLD]: 'UPDATE' }, true],
    ['only a name that no user has holds UPDATE', { ana: 'UPDATE', nobody: 'UPDATE' }, false],
  ];
  for (const [when, permissions, allowed] of held) {
    it(`UPDATE ${allowed ? 'can' : 'cannot'} be taken from a holder when ${when}`, () => {
      for (const level of ['NONE', 'READ', 'EXECUTE'] as const) {
        const change = () => withLevel(permissions, 'ana', level, isUser);
        if (allowed) expect(change()).toEqual({ ...permissions, ana: level });
        else expect(change).toThrow(expect.objectContaining({ code: 'LAST_HOLDER' }));
      }
    });
  }

  it('is possible to those below UPDATE although nobody holds it', () => {
    expect(withLevel({ bob: 'READ' }, 'bob', 'NONE', isUser)).toEqual({ bob: 'NONE' });
  });
});

describe('the entry of a user who goes', () => {
  it('goes, and UPDATE falls to the keeper only where nobody else holds it', () => {
    const stays = (name: string) => isUser(name) && name !== 'bob';
    const without = (permissions: Permissions) => withoutEntry(permissions, 'bob', 'ana', stays);
    expect(without({ ana: 'UPDATE', bob: 'READ' })).toEqual({ ana: 'UPDATE' });
    expect(without({ ana: 'NONE', bob: 'UPDATE' })).toEqual({ ana: 'UPDATE' });
    expect(without({ bob: 'UPDATE', [WORLD]: 'UPDATE' })).toEqual({ [WORLD]: 'UPDATE' });
    const untouched: Permissions = { root: 'READ' };
    expect(without(untouched)).toBe(untouched);
  });
});

describe('may somebody, and why', () => {
  const permissions: Permissions = { ana: 'UPDATE', bob: 'READ', [WORLD]: 'EXECUTE' };
  const table = [
    ['an own entry', 'ana', ['user'], 'UPDATE', true, { allowed: true, has: 'UPDATE', by: 'entry' }],
    ['the world above the own entry', 'bob', ['user'], 'EXECUTE', true, { allowed: true, has: 'EXECUTE', by: 'world' }],
    ['too little of the world', 'bob', ['user'], 'UPDATE', true, { allowed: false, has: 'EXECUTE', by: 'world' }],
    ['the role admin', 'root', ['admin'], 'UPDATE', true, { allowed: true, has: 'UPDATE', by: 'role' }],
    ['a role that does not count', 'root', ['admin'], 'UPDATE', false, { allowed: false, has: 'EXECUTE', by: 'world' }],
    ['the world itself', WORLD, undefined, 'EXECUTE', true, { allowed: true, has: 'EXECUTE', by: 'entry' }],
    ['a name without a user', 'nobody', undefined, 'READ', true, { allowed: false, has: 'NONE', by: 'nobody' }],
    [
      'NONE, for a name without a user',
      'nobody',
      undefined,
      'NONE',
      true,
      { allowed: false, has: 'NONE', by: 'nobody' },
    ],
  ] as const;
  for (const [name, username, roles, needs, rolesCount, expected] of table) {
    it(`is answered by ${name}`, () =>
      expect(checkPermission(permissions, { username, roles }, needs, rolesCount)).toEqual({ needs, ...expected }));
  }

  it('is nothing without an entry', () =>
    expect(checkPermission({ ana: 'UPDATE' }, { username: 'bob', roles: ['user'] }, 'READ', true)).toMatchObject({
      allowed: false,
      by: 'nothing',
    }));

  it('is said in a sentence', () => {
    const why = (needs: 'READ' | 'UPDATE', username: string, roles?: readonly ['admin']) =>
      explainVerdict(
        username,
        'actor X',
        checkPermission(permissions, { username, roles: roles ?? ['user'] }, needs, true),
      );
    expect(why('UPDATE', 'ana')).toBe('ana has UPDATE on actor X.');
    expect(why('UPDATE', 'bob')).toBe(`everybody has EXECUTE on actor X (${WORLD}); UPDATE is needed.`);
    expect(why('UPDATE', 'root', ['admin'])).toBe(
      'root has the role admin, which passes every check of actors and aliases.',
    );
  });
});
