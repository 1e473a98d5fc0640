// Updates of an actor by a sender who lacks the role for some of its fields.
import { describe, expect, it } from 'vitest';
import { reviseActor, type Update } from '../../../daemon/domain/actors/actor-description.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { actorRecord } from '../../support/service/records.ts';

const before = actorRecord('A000000000001', { image: 'alpine' });
const revise = (actor: ActorRecord, input: Partial<Update>, ...roles: Role[]) =>
  reviseActor(actor, { image: actor.image, ...input }, { username: 'ana', roles }, 2_000);

const failureOf = (act: () => unknown): Failure => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

describe('an update', () => {
  const limits: Pick<Update, 'memLimit' | 'maxWorkers' | 'placement' | 'queue'> = {
    ...{ memLimit: '512m', maxWorkers: 2, placement: ['node.role==worker'], queue: 'special' },
  };
  const limited = { ...before, ...limits } as ActorRecord;

  it('R223 keeps the fields that need a role if the sender without it repeats them or leaves them out', () => {
    for (const input of [{ description: 'new' }, { description: 'new', ...limits, privileged: false }]) {
      expect(revise(limited, input, 'user').actor).toMatchObject({ ...limits, description: 'new' });
    }
    expect(revise(limited, {}, 'privileged').actor).not.toHaveProperty('memLimit');
  });

  it.each<[string, Partial<Update>]>([
    ['memLimit', { memLimit: '1g' }],
    ['placement', { placement: [] }],
    ['queue', { queue: 'default' }],
    ['maxCpus', { maxCpus: 1 }],
  ])('refuses another value of %s to a sender without the role', (field, input) => {
    expect(failureOf(() => revise(limited, input, 'user'))).toMatchObject({
      code: 'FORBIDDEN',
      detail: { fields: [field] },
    });
  });

  const environment = { A: '1', B: '2' };
  const configEnvironment = { KEY: { config: 'key' } };
  const described = { ...before, environment, configEnvironment };
  const controlling = [
    ['a folder', { ...described, image: 'file:///srv/a' }, 'privileged'],
    ['a privileged container', { ...described, privileged: true }, 'user'],
  ] as const;

  it.each(controlling)('of %s by a sender without the role keeps what decides its code', (_, actor, role) => {
    const kept = { environment, configEnvironment, image: actor.image, privileged: actor.privileged };
    const repeated = { default_environment: { B: '2', A: '1' }, senderVariables: [], privileged: actor.privileged };
    for (const input of [{}, repeated]) {
      expect(revise(actor, { ...input, description: 'new' }, role).actor).toMatchObject({
        ...kept,
        description: 'new',
      });
    }
  });

  it.each(controlling)('R223 R137 of %s by a sender without the role cannot choose its code', (_, actor, role) => {
    const choices: readonly (readonly [string, Partial<Update>])[] = [
      ['image', { image: actor.privileged ? 'evil' : 'file:///srv/b' }],
      ['default_environment', { default_environment: { NODE_OPTIONS: '-r /evil' } }],
      ['default_environment', { default_environment: {} }],
      ['configEnvironment', { configEnvironment: { API_KEY: { config: 'other' } } }],
      ['configEnvironment', { configEnvironment: {} }],
      ['senderVariables', { senderVariables: ['CC'] }],
    ];
    for (const [field, input] of choices) {
      expect(failureOf(() => revise(actor, input, role))).toMatchObject({
        code: 'FORBIDDEN',
        detail: { fields: [field] },
      });
    }
  });

  it('of a folder to a container is open to a sender without a role, and of a privileged container is not', () => {
    const folder = { ...before, image: 'file:///srv/a' };
    expect(revise(folder, { image: 'alpine' }, 'user').actor.image).toBe('alpine');
    expect(failureOf(() => revise({ ...before, privileged: true }, { privileged: false }, 'user')).code).toBe(
      'FORBIDDEN',
    );
    expect(failureOf(() => revise({ ...folder, privileged: true }, { image: 'alpine' }, 'user')).code).toBe(
      'FORBIDDEN',
    );
  });
});
