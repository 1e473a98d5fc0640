// The dialect of an actor: set at its registration, and fixed.
import { describe, expect, it } from 'vitest';
import { registerActor, reviseActor, type Update } from '../../../daemon/domain/actors/actor-description.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Dialect } from '../../../src/contract/dialect.ts';

const by = { tenant: 'DEV', username: 'ana', roles: [] };
const register = (dialect: Dialect | undefined, ofRequest?: Dialect): ActorRecord =>
  registerActor(
    { image: 'alpine', ...(dialect && { dialect }) },
    { ...by, ...(ofRequest && { dialect: ofRequest }) },
    'A000000000001',
    1_000,
  );
const revise = (actor: ActorRecord, input: Omit<Update, 'image'>): ActorRecord =>
  reviseActor(actor, { image: actor.image, ...input }, by, 2_000).actor;

describe('the dialect of an actor', () => {
  it.each([
    ['the one that the registration names', 'legacy', 'modern', 'legacy'],
    ['modern, if the registration names it', 'modern', 'legacy', undefined],
    ['that of the request, if it names none', undefined, 'legacy', 'legacy'],
    ['modern, if the request has none either', undefined, undefined, undefined],
  ] as const)('is %s', (_name, dialect, ofRequest, stored) => {
    expect(register(dialect, ofRequest).dialect).toBe(stored);
  });

  it('stays when an update leaves it out or repeats it', () => {
    const legacy = register('legacy');
    expect([revise(legacy, {}).dialect, revise(legacy, { dialect: 'legacy' }).dialect]).toEqual(['legacy', 'legacy']);
    expect(revise(register('modern'), { dialect: 'modern' })).not.toHaveProperty('dialect');
  });

  it.each([
    ['legacy', 'modern'],
    ['modern', 'legacy'],
  ] as const)('cannot be changed from %s to %s', (from, to) => {
    const refused = () => revise(register(from), { dialect: to });
    expect(refused).toThrow(Failure);
    expect(refused).toThrow(`dialect is fixed at registration and stays ${from}; register a new actor to change it`);
  });
});
