// Levels and roles: who passes, who does not.
import { describe, expect, it } from 'vitest';
import {
  effectiveLevel,
  fieldsBeyondRoles,
  includesLevel,
  type Permissions,
  passesChecks,
} from '../../daemon/domain/permission.ts';
import { levels } from '../../src/contract/operation.ts';
import { WORLD } from '../../src/contract/permissions.ts';

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
