// The rules for registering and updating an actor.
import { describe, expect, it } from 'vitest';
import {
  type Registration,
  registerActor,
  reviseActor,
  type Update,
} from '../../../daemon/domain/actors/actor-description.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { actorRecord } from '../../support/service/records.ts';

const by = (...roles: Role[]) => ({ tenant: 'DEV', username: 'ana', roles });
const register = (input: Omit<Registration, 'image'> & { image?: string }, ...roles: Role[]): ActorRecord =>
  registerActor({ image: 'alpine', ...input }, by(...roles), 'A000000000001', 1_000);
const revise = (actor: ActorRecord, input: Omit<Update, 'image'> & { image?: string }, ...roles: Role[]) =>
  reviseActor(actor, { image: actor.image, ...input }, by(...roles), 2_000);

const failureOf = (act: () => unknown): Failure => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('a registration', () => {
  it('with only an image gets all defaults', () => {
    expect(register({})).toStrictEqual({
      id: 'A000000000001',
      tenant: 'DEV',
      owner: 'ana',
      name: '',
      description: '',
      image: 'alpine',
      environment: {},
      hints: [],
      type: 'none',
      token: false,
      queue: 'default',
      privileged: false,
      useContainerUid: false,
      stateless: true,
      status: 'SUBMITTED',
      statusMessage: '',
      revision: 1,
      permissions: { ana: 'UPDATE' },
      startFailures: 0,
      createdAt: 1_000,
      updatedAt: 1_000,
    });
  });

  it('keeps the given fields', () => {
    const said = { name: 'n', description: 'd', hints: ['a', 'b'], type: 'json', token: true, logEx: 5, maxRunTime: 7 };
    expect(register({ ...said, stateless: false })).toMatchObject({ ...said, stateless: false });
    const limits: Partial<Registration> = {
      maxWorkers: 2,
      memLimit: '1g',
      maxCpus: 3,
      placement: ['node.labels.gpu==true'],
      queue: 'special',
      privileged: true,
      useContainerUid: true,
    };
    expect(register(limits, 'privileged')).toMatchObject(limits);
    const webhook = 'http://127.0.0.1:9/';
    expect(register({ webhook, senderVariables: ['A', 'B', 'A'] })).toMatchObject({
      webhook,
      senderVariables: ['A', 'B'],
    });
    expect(register({ cronSchedule: '@hourly' }).cron).toMatchObject({ schedule: '@hourly', on: true });
  });

  it('keeps sender variables of earlier data that cannot be declared any more', () => {
    const stored = actorRecord('A', { senderVariables: ['LD_PRELOAD', 'A'] });
    const senderVariables = ['LD_PRELOAD', 'B'];
    expect(revise(stored, { senderVariables }).actor.senderVariables).toEqual(senderVariables);
    expect(() => revise(stored, { senderVariables: ['PATH'] })).toThrow('senderVariables must not contain PATH');
  });

  const refused: readonly (readonly [string, Parameters<typeof register>[0], string, RegExp])[] = [
    ['a bad image', { image: 'No Image' }, 'VALIDATION', /^image /],
    ['a hint that contains a brace', { hints: ['ok', 'a}b'] }, 'VALIDATION', /^hints /],
    ['a hint that contains a quote', { hints: ["it's"] }, 'VALIDATION', /^hints must not contain any of /],
    ['a bad webhook', { webhook: 'ftp://x' }, 'VALIDATION', /^webhook must be an absolute URL/],
    ['a variable of the platform', { senderVariables: ['MSG'] }, 'VALIDATION', /^senderVariables must not contain MSG/],
    [
      'maxWorkers on a stateful actor',
      { stateless: false, maxWorkers: 1 },
      'VALIDATION',
      /^maxWorkers cannot be set: stateful actors can only have 1 worker$/,
    ],
    ['maxWorkers and without a role', { maxWorkers: 2 }, 'FORBIDDEN', /maxWorkers/],
    [
      'privileged fields and without a role',
      { privileged: true, useContainerUid: true },
      'FORBIDDEN',
      /privileged, useContainerUid/,
    ],
    [
      'a folder image and without the role admin',
      { image: 'file:///srv/a' },
      'FORBIDDEN',
      /^image: only users with the role admin/,
    ],
  ];
  for (const [name, input, code, text] of refused) {
    it(`with ${name} is refused`, () => {
      const failure = failureOf(() => register(input, 'user'));
      expect(failure.code).toBe(code);
      expect(failure.message).toMatch(text);
      if (code === 'VALIDATION') expect(failure.detail).toEqual({ field: failure.message.split(' ')[0] });
      else expect(failure.detail).toEqual({ fields: failure.message.split(':')[0]?.split(', ') });
    });
  }

  it('with a folder image is refused to the role privileged, and accepted from an admin', () => {
    expect(failureOf(() => register({ image: 'file:///srv/a' }, 'privileged')).code).toBe('FORBIDDEN');
    expect(register({ image: 'file:///srv/a' }, 'admin').image).toBe('file:///srv/a');
  });

  it('R137 cannot set the variables of the platform', () => {
    for (const name of [
      '_svc_actor_id',
      '_abaco_username',
      '_actor_configs',
      '_actor_configs_FILE',
      'MSG',
      'MSG_FILE',
    ]) {
      const failure = failureOf(() => register({ default_environment: { OK: '1', [name]: 'x' } }));
      expect(failure).toMatchObject({ code: 'VALIDATION', detail: { field: 'default_environment' } });
      expect(failure.message).toContain(name);
    }
    expect(register({ default_environment: { PATH: '/bin', LD_PRELOAD: 'x', msg: 'y' } }).environment).toEqual({
      PATH: '/bin',
      LD_PRELOAD: 'x',
      msg: 'y',
    });
  });
});

describe('the user who set a link', () => {
  const linked = register({ link: 'b' });
  const revisedBy = (actor: ActorRecord, link: string) =>
    reviseActor(actor, { image: actor.image, link }, { username: 'bob', roles: [] }, 2_000).actor.linkSetBy;

  it('is the user of the request that changed the link', () => {
    expect(linked).toMatchObject({ link: 'b', linkSetBy: 'ana' });
    expect(revisedBy(linked, 'b')).toBe('ana');
    expect(revisedBy(linked, 'c')).toBe('bob');
    expect(revisedBy(linked, '')).toBeUndefined();
    const { linkSetBy: _, ...unset } = linked;
    expect(revisedBy(unset, 'b')).toBeUndefined();
    expect(revise(unset, { link: 'b' }).actor).not.toHaveProperty('linkSetBy');
    expect(register({ link: '' })).not.toHaveProperty('link');
  });
});

describe('an update', () => {
  const before: ActorRecord = {
    ...register({ name: 'n', description: 'd', hints: ['h'], token: true, logEx: 5, default_environment: { A: '1' } }),
    permissions: { ana: 'UPDATE', bob: 'READ' },
    status: 'READY',
    statusMessage: ' ',
    revision: 4,
    startFailures: 2,
  };

  it('resets omitted fields to their defaults, and keeps name, stateless, owner and permissions', () => {
    const { actor, restart } = revise(before, {});
    expect(restart).toBe(false);
    expect(actor).toEqual({
      ...register({ name: 'n' }),
      permissions: { ana: 'UPDATE', bob: 'READ' },
      status: 'READY',
      statusMessage: ' ',
      revision: 4,
      version: 2,
      startFailures: 2,
      updatedAt: 2_000,
    });
  });

  it('with a new image or force creates a new revision with the status SUBMITTED', () => {
    for (const input of [{ image: 'busybox' }, { force: true }]) {
      const { actor, restart } = revise(before, input);
      expect(restart).toBe(true);
      expect(actor).toMatchObject({ revision: 5, status: 'SUBMITTED', statusMessage: '', startFailures: 0 });
    }
  });

  it('of an actor that is being deleted is refused', () => {
    expect(failureOf(() => revise({ ...before, status: 'SHUTTING_DOWN' }, {}))).toMatchObject({
      code: 'ACTOR_BUSY',
      message: 'The actor cannot be updated: it is being deleted. Register a new one.',
    });
  });

  it('keeps the plan, the wanted workers and counts the versions', () => {
    const planned = { ...before, ...register({ cronSchedule: '@hourly' }), wantedWorkers: 3 };
    expect(revise(planned, {}).actor).toMatchObject({ cron: planned.cron, wantedWorkers: 3, version: 2 });
    expect(revise({ ...planned, version: 7 }, {}).actor.version).toBe(8);
    expect(revise(before, {}).actor).not.toHaveProperty('cron');
    expect(revise(before, {}).actor).not.toHaveProperty('wantedWorkers');
  });

  it('of an actor in ERROR makes it retry without a new revision', () => {
    const { actor, restart } = revise(
      { ...before, status: 'ERROR', statusMessage: 'no such image', startFailures: 6 },
      {},
    );
    expect(restart).toBe(true);
    expect(actor).toMatchObject({ revision: 4, status: 'SUBMITTED', statusMessage: '', startFailures: 0 });
  });

  it('may repeat `stateless` and never change it', () => {
    expect(revise(before, { stateless: true }).actor.stateless).toBe(true);
    expect(failureOf(() => revise(before, { stateless: false }))).toMatchObject({
      message: 'stateless is fixed at registration and stays true; register a new actor to change it',
      detail: { field: 'stateless' },
    });
    const stateful = { ...before, stateless: false };
    expect(revise(stateful, {}).actor.stateless).toBe(false);
    expect(failureOf(() => revise(stateful, { stateless: true })).code).toBe('VALIDATION');
  });

  it('of a stateful actor refuses maxWorkers', () => {
    const failure = failureOf(() => revise({ ...before, stateless: false }, { maxWorkers: 3 }, 'admin'));
    expect(failure.message).toContain('stateful actors can only have 1 worker');
  });
});
