// Permission levels and roles: which callers pass a check.
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
  it('include the weaker levels and no others', () => {
    for (const [strong, has] of levels.entries()) {
      for (const [weak, needed] of levels.entries()) expect(includesLevel(has, needed)).toBe(strong >= weak);
    }
  });

  const table: readonly (readonly [string, Permissions, string, string])[] = [
    ['no entry', {}, 'ana', 'NONE'],
    ['the own entry', { ana: 'READ' }, 'ana', 'READ'],
    ['an entry of another user', { bob: 'UPDATE' }, 'ana', 'NONE'],
    ['the entry of the world', { [WORLD]: 'EXECUTE' }, 'ana', 'EXECUTE'],
    ['a world level above the own entry', { ana: 'READ', [WORLD]: 'UPDATE' }, 'ana', 'UPDATE'],
    ['a world level below the own entry', { ana: 'EXECUTE', [WORLD]: 'READ' }, 'ana', 'EXECUTE'],
    ['an own NONE entry and a readable world', { ana: 'NONE', [WORLD]: 'READ' }, 'ana', 'READ'],
  ];
  for (const [name, permissions, username, level] of table) {
    it(`with ${name} amount to ${level}`, () => expect(effectiveLevel(permissions, username)).toBe(level));
  }

  it('R125 of a user name like __proto__ are NONE without an entry', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(effectiveLevel({ ana: 'UPDATE' }, name)).toBe('NONE');
      expect(effectiveLevel({ [name]: 'READ' }, name)).toBe('READ');
    }
  });
});

describe('roles', () => {
  it('only admin passes the checks of single objects', () => {
    expect(passesChecks(['user', 'admin'])).toBe(true);
    expect(passesChecks(['privileged', 'user', 'limited'])).toBe(false);
    expect(passesChecks([])).toBe(false);
  });

  const asked = {
    privileged: true,
    maxWorkers: 2,
    memLimit: '1g',
    maxCpus: 1,
    placement: ['node.role==worker'],
    queue: 'default',
    useContainerUid: true,
  };
  it('privileged and admin may set every field', () => {
    expect(fieldsBeyondRoles(asked, ['privileged'])).toEqual([]);
    expect(fieldsBeyondRoles(asked, ['admin'])).toEqual([]);
  });
  it('other roles may set none of the seven fields, and the refusal names each', () => {
    expect(fieldsBeyondRoles(asked, ['user', 'limited'])).toEqual([
      'privileged',
      'maxWorkers',
      'memLimit',
      'maxCpus',
      'placement',
      'queue',
      'useContainerUid',
    ]);
  });
  it('a field with its default value needs no role', () => {
    expect(fieldsBeyondRoles({ privileged: false, useContainerUid: false, placement: [] }, ['user'])).toEqual([]);
  });
});

const isUser = (name: string) => ['ana', 'bob', 'root'].includes(name);

describe('granting a level', () => {
  it('replaces the previous level and keeps all other entries', () => {
    const before: Permissions = { ana: 'UPDATE', bob: 'READ' };
    expect(withLevel(before, 'bob', 'EXECUTE', isUser)).toEqual({ ana: 'UPDATE', bob: 'EXECUTE' });
    expect(withLevel(before, 'bob', 'NONE', isUser)).toEqual({ ana: 'UPDATE', bob: 'NONE' });
    expect(withLevel(before, WORLD, 'READ', isUser)).toEqual({ ...before, [WORLD]: 'READ' });
    expect(before).toEqual({ ana: 'UPDATE', bob: 'READ' });
  });

  it('changes nothing if the user has that level already', () => {
    const before: Permissions = { ana: 'UPDATE' };
    expect(withLevel(before, 'ana', 'UPDATE', isUser)).toBe(before);
  });

  it('R125 to a name like __proto__ creates an ordinary entry', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const after = withLevel({ ana: 'UPDATE' }, name, 'READ', isUser);
      expect([Object.hasOwn(after, name), effectiveLevel(after, name)]).toEqual([true, 'READ']);
    }
  });

  const held: readonly (readonly [string, Permissions, boolean])[] = [
    ['nobody else has an entry', { ana: 'UPDATE' }, false],
    ['others may read and execute only', { ana: 'UPDATE', bob: 'EXECUTE', [WORLD]: 'READ' }, false],
    ['another user holds UPDATE', { ana: 'UPDATE', bob: 'UPDATE' }, true],
    ['the world holds UPDATE', { ana: 'UPDATE', [WORLD]: 'UPDATE' }, true],
    ['only an unknown user name holds UPDATE', { ana: 'UPDATE', nobody: 'UPDATE' }, false],
  ];
  for (const [when, permissions, allowed] of held) {
    it(`UPDATE ${allowed ? 'can' : 'cannot'} be removed from a holder when ${when}`, () => {
      for (const level of ['NONE', 'READ', 'EXECUTE'] as const) {
        const change = () => withLevel(permissions, 'ana', level, isUser);
        if (allowed) expect(change()).toEqual({ ...permissions, ana: level });
        else
          expect(change).toThrow(
            expect.objectContaining({
              code: 'LAST_HOLDER',
              message: expect.stringMatching(/^User "ana" is the last holder of UPDATE;/),
              detail: { user: 'ana' },
            }),
          );
      }
    });
  }

  it('below UPDATE is possible even if no user holds UPDATE', () => {
    expect(withLevel({ bob: 'READ' }, 'bob', 'NONE', isUser)).toEqual({ bob: 'NONE' });
  });
});

describe('the entry of a deleted user', () => {
  it('is removed, and UPDATE passes to the keeper only if no other user holds it', () => {
    const stays = (name: string) => isUser(name) && name !== 'bob';
    const without = (permissions: Permissions) => withoutEntry(permissions, 'bob', 'ana', stays);
    expect(without({ ana: 'UPDATE', bob: 'READ' })).toEqual({ ana: 'UPDATE' });
    expect(without({ ana: 'NONE', bob: 'UPDATE' })).toEqual({ ana: 'UPDATE' });
    expect(without({ bob: 'UPDATE', [WORLD]: 'UPDATE' })).toEqual({ [WORLD]: 'UPDATE' });
    const untouched: Permissions = { root: 'READ' };
    expect(without(untouched)).toBe(untouched);
  });
});

describe('the explanation of a permission check', () => {
  const permissions: Permissions = { ana: 'UPDATE', bob: 'READ', [WORLD]: 'EXECUTE' };
  const table = [
    ['an own entry', 'ana', ['user'], 'UPDATE', true, { allowed: true, has: 'UPDATE', by: 'entry' }],
    [
      'a world level above the own entry',
      'bob',
      ['user'],
      'EXECUTE',
      true,
      { allowed: true, has: 'EXECUTE', by: 'world' },
    ],
    ['a world level that is too low', 'bob', ['user'], 'UPDATE', true, { allowed: false, has: 'EXECUTE', by: 'world' }],
    ['the role admin', 'root', ['admin'], 'UPDATE', true, { allowed: true, has: 'UPDATE', by: 'role' }],
    [
      'a role in a check that ignores roles',
      'root',
      ['admin'],
      'UPDATE',
      false,
      { allowed: false, has: 'EXECUTE', by: 'world' },
    ],
    ['the world itself', WORLD, undefined, 'EXECUTE', true, { allowed: true, has: 'EXECUTE', by: 'entry' }],
    ['an unknown user name', 'nobody', undefined, 'READ', true, { allowed: false, has: 'NONE', by: 'nobody' }],
    [
      'NONE, for an unknown user name',
      'nobody',
      undefined,
      'NONE',
      true,
      { allowed: false, has: 'NONE', by: 'nobody' },
    ],
  ] as const;
  for (const [name, username, roles, needs, rolesCount, expected] of table) {
    it(`handles ${name}`, () =>
      expect(checkPermission(permissions, { username, roles }, needs, rolesCount)).toEqual({ needs, ...expected }));
  }

  it('names no source if there is no entry', () =>
    expect(checkPermission({ ana: 'UPDATE' }, { username: 'bob', roles: ['user'] }, 'READ', true)).toMatchObject({
      allowed: false,
      by: 'nothing',
    }));

  it('is a sentence', () => {
    const why = (needs: 'READ' | 'UPDATE', username: string, roles?: readonly ['admin']) =>
      explainVerdict(
        username,
        'actor X',
        checkPermission(permissions, { username, roles: roles ?? ['user'] }, needs, true),
      );
    expect(why('UPDATE', 'ana')).toBe('ana has UPDATE on actor X.');
    expect(why('UPDATE', 'bob')).toBe(`everybody has EXECUTE on actor X (${WORLD}); UPDATE is needed.`);
    const none = checkPermission({ ana: 'UPDATE' }, { username: 'bob', roles: ['user'] }, 'READ', true);
    expect(explainVerdict('bob', 'actor X', none)).toBe('bob has no permission on actor X; READ is needed.');
    const nobody = checkPermission(permissions, { username: 'zoe', roles: undefined }, 'READ', true);
    expect(explainVerdict('zoe', 'actor X', nobody)).toBe('there is no user "zoe"; READ is needed.');
    expect(why('UPDATE', 'root', ['admin'])).toBe(
      'root has the role admin, which passes every check of actors and aliases.',
    );
  });
});
