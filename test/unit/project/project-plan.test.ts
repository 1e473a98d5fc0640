// The plan of apply: the resources a project may adopt, fields reset to defaults, and when a secret is unchanged.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/commands/framework/views.ts';
import { imagesOf } from '../../../src/commands/project/apply.ts';
import type {
  CurrentAlias,
  CurrentConfig,
  CurrentState,
  Held,
} from '../../../src/commands/project/plan/current-state.ts';
import { replaceDescribed } from '../../../src/commands/project/plan/described.ts';
import type { BuiltNow, DesiredConfig, DesiredState } from '../../../src/commands/project/plan/desired-state.ts';
import { type Plan, planApply } from '../../../src/commands/project/plan/plan.ts';
import {
  type BuiltRecord,
  type ConfigRecord,
  emptyRecord,
  isProjectRecord,
} from '../../../src/commands/project/plan/record.ts';
import { readWanted } from '../../../src/commands/project/read-desired-state.ts';
import { descriptionIn } from '../../../src/local/project/description.ts';
import { liveImage } from '../../../src/local/project/image-name.ts';
import { checkDocument } from '../../../src/local/project/project-check.ts';
import { wholeDocument } from '../../../src/local/project/project-document.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';

const nothing: DesiredState = { project: 'p', actors: [], aliases: [], configs: [] };
const empty: CurrentState = {
  record: emptyRecord('salt'),
  actors: new Map(),
  aliases: new Map(),
  configs: new Map(),
  user: 'dev',
  names: new Map(),
  digests: new Map(),
  shared: new Map(),
};

const plan = (wanted: Partial<DesiredState>, present: Partial<CurrentState>): Plan =>
  planApply({ ...nothing, ...wanted }, { ...empty, ...present }, { prune: false, images: new Map() });

const heldBy = (owner: string): Held => ({ mayUpdate: true, owner, permissions: {} });

const aliasOf = (owner: string): CurrentAlias => ({
  ...heldBy(owner),
  alias: { alias: 'front', actorId: 'Aaaaaaaaaaaa1', owner, _links: {} },
});

const configOf = (owner: string, revision: number, actors = ''): CurrentConfig => ({
  ...heldBy(owner),
  valueText: '"sealed:v1:x"',
  config: {
    name: 'key',
    value: null,
    actors,
    isSecret: true,
    is_secret: true,
    owner,
    revision,
    createTime: '2026-01-01T00:00:00.000Z',
    lastUpdateTime: '2026-01-01T00:00:00.000Z',
  },
});

const kept: DesiredConfig = { name: 'key', value: 'keep', actors: [], permissions: {}, at: 'actorctl.yaml:1:1' };

/** Reads a project file that names no other file. */
const wantedOf = async (text: string) => {
  const parsed = parseProjectText('actorctl.yaml', `project: p\n${text}`);
  const file = { folder: '/nowhere', text: parsed, document: checkDocument(wholeDocument, parsed, parsed.value) };
  return readWanted({ user: { env: {}, home: '/', platform: 'linux', loginShell: () => undefined } }, file, {
    allowOutside: false,
  });
};

describe('a resource that a project adopts', () => {
  const front = {
    alias: 'front',
    target: { kind: 'outside', name: 'Aaaaaaaaaaaa1' },
    permissions: {},
    at: '',
  } as const;

  it('is never the resource of another user, even with UPDATE on it', () => {
    const aliases = new Map([['front', aliasOf('ana')]]);
    expect(() => plan({ aliases: [front] }, { aliases })).toThrow('a project cannot take over alias "front" of ana');
    const configs = new Map([['key', configOf('ana', 1)]]);
    expect(() => plan({ configs: [kept] }, { configs })).toThrow('a project cannot take over config "key" of ana');
  });

  it("includes the caller's own resource, and one that a colleague created for the project", () => {
    expect(plan({ aliases: [front] }, { aliases: new Map([['front', aliasOf('dev')]]) }).steps).toHaveLength(1);
    const record = { ...empty.record, aliases: { front: { users: [] } } };
    expect(plan({ aliases: [front] }, { record, aliases: new Map([['front', aliasOf('ana')]]) }).steps).toHaveLength(1);
  });
});

describe('an unchanged secret', () => {
  const recorded = (entry: ConfigRecord, revision: number) => {
    const record = { ...empty.record, configs: { key: entry } };
    return plan({ configs: [kept] }, { record, configs: new Map([['key', configOf('dev', revision)]]) }).steps[0]
      ?.recorded;
  };

  it('has its digest as long as no other user changed it', () => {
    const entry = { users: [], digest: 'd1', revision: 3 };
    expect(recorded(entry, 3)).toEqual({ config: entry });
    expect(recorded(entry, 4)).toEqual({ config: { users: [], revision: 4 } });
  });
});

describe('a config', () => {
  it('with two names of one actor does not change', () => {
    const id = 'Aaaaaaaaaaaa1';
    const twice = [
      { kind: 'outside', name: id },
      { kind: 'outside', name: id },
    ] as const;
    const configs = new Map([['key', configOf('dev', 1, id)]]);
    expect(plan({ configs: [{ ...kept, actors: twice }] }, { configs }).steps[0]?.action).toBe('unchanged');
  });

  it.each([
    ['configs:\n  actorctl-project.p: { value: 1 }\n', '3:3'],
    ['actors:\n  a: { image: busybox, configs: [actorctl-project.other] }\n', '3:3'],
  ])('cannot be the record of a project: %s', async (text, place) => {
    await expect(wantedOf(text)).rejects.toThrow(new RegExp(`^actorctl.yaml:${place}: .*is the record of a project$`));
  });
});

it('an alias cannot be that of two actors of the file', async () => {
  const text = 'actors:\n  a: { image: busybox, alias: front }\n  b: { image: busybox, alias: "alias:front" }\n';
  await expect(wantedOf(text)).rejects.toThrow(/^actorctl.yaml:4:\d+: actors "a" and "b" have the same alias "front"$/);
});

it('a schedule whose switch left the file is on again', () => {
  const off = { image: 'busybox', cronSchedule: '@daily' };
  const said = { image: 'busybox', cronSchedule: '@daily' };
  expect(replaceDescribed(off, said)).toEqual(off);
  expect(replaceDescribed(off, said, ['cronOn'])).toEqual({ ...off, cronOn: true });
  expect(replaceDescribed(off, { image: 'busybox' }, ['cronOn', 'cronSchedule'])).not.toHaveProperty('cronOn');
});

it('sender variables named twice are those of the actor that has them once', () => {
  const project = { document: { sender_variables: ['A', 'B_*', 'A'] }, image: 'busybox' };
  expect(descriptionIn(project as never)).toEqual({ image: 'busybox', senderVariables: ['A', 'B_*'] });
});

it('an image with new content belongs to every actor that uses it', () => {
  const actor = (key: string, image: string) => ({
    key,
    name: key,
    at: '',
    description: { image },
    permissions: {},
    shares: [],
    fixed: {},
  });
  const actors = [actor('one', 'app:1'), actor('two', 'app:1'), actor('three', 'app:2')];
  const built = { id: 'sha256:a', host: 'here', isNew: true };
  expect([...imagesOf({ actors }, new Map([['app:1', built]])).keys()]).toEqual(['one', 'two']);
});

describe('an image that was built', () => {
  const id = 'Aaaaaaaaaaaa1';
  const wantedActor = { key: 'one', name: 'one', at: '', description: { image: 'app:1' } };
  const wanted = { ...wantedActor, permissions: {}, shares: [], fixed: {} };
  const actor = { id, name: 'one', image: 'app:1', owner: 'dev', version: 1 } as Actor;
  const stepWith = (last: BuiltRecord | undefined, now: BuiltNow | undefined) => {
    const entry = { id, fields: ['image'], users: [], shares: [], ...(last && { built: last }) };
    const present = {
      ...empty,
      record: { ...empty.record, actors: { one: entry } },
      actors: new Map([['one', { ...heldBy('dev'), actor }]]),
    };
    const images = new Map(now === undefined ? [] : [['one', now]]);
    const [step] = planApply({ ...nothing, actors: [wanted] }, present, { prune: false, images }).steps;
    const recorded = step?.recorded;
    return [step?.action, recorded !== 'gone' && recorded && 'actor' in recorded ? recorded.actor.built : undefined];
  };
  const here = (image: string) => ({ id: image, host: 'here' });
  const old = (image: string) => ({ ...here(image), isNew: false });
  const fresh = (image: string) => ({ ...here(image), isNew: true });

  it.each<[string, BuiltRecord | undefined, BuiltNow | undefined, string, BuiltRecord | undefined]>([
    ['is the one that the actor has', here('a'), old('a'), 'unchanged', here('a')],
    ['by an apply that failed before the change is still to be applied', here('a'), old('b'), 'update', here('b')],
    ['again as it was before a failed apply needs no change', here('a'), fresh('a'), 'unchanged', here('a')],
    ['for the first time since the record knows images', undefined, fresh('b'), 'update', here('b')],
    ['and is not new is written down', undefined, old('a'), 'unchanged', here('a')],
    [
      'on another machine is compared there',
      { id: 'x', host: 'there' },
      old('a'),
      'unchanged',
      { id: 'x', host: 'there' },
    ],
    ['with new content on another machine', { id: 'x', host: 'there' }, fresh('b'), 'update', here('b')],
    ['earlier stays in the record if this run builds nothing', here('a'), undefined, 'unchanged', here('a')],
  ])('%s', (_case, last, now, action, built) => expect(stepWith(last, now)).toEqual([action, built]));
});

it('the number of dev images stays that of the project', () => {
  const live = (image: string): string => liveImage(image, '/a').replace(/-[0-9a-f]{8}$/, '-DIGEST');
  expect(['app:dev', 'app:2', 'host:5000/app'].map(live)).toEqual([
    'app:dev-live-DIGEST',
    'app:2-live-DIGEST',
    'host:5000/app:dev-live-DIGEST',
  ]);
  expect(liveImage('app:dev', '/a')).not.toBe(liveImage('app:dev', '/b'));
});

it('a record that this version did not write is not read', () => {
  const actor = { id: 'Aaaaaaaaaaaa1', fields: [], users: [], shares: [] };
  const record = (entry: unknown): unknown => ({ ...emptyRecord('salt'), actors: { a: entry } });
  expect(isProjectRecord(record(actor))).toBe(true);
  expect(isProjectRecord(record({ ...actor, built: { id: 'sha256:a', host: 'here' } }))).toBe(true);
  for (const wrong of [
    { ...actor, built: { id: 7 } },
    { users: [] },
    { ...actor, shares: undefined },
    { ...actor, id: 7 },
    { ...actor, users: [7] },
  ])
    expect(isProjectRecord(record(wrong))).toBe(false);
});
