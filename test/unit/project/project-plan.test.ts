// The plan of apply: what a project may take, what returns to its default, and when a secret is the same.
import { describe, expect, it } from 'vitest';
import { usersOf } from '../../../src/commands/project/build-images.ts';
import { liveImage } from '../../../src/commands/project/dev-loop.ts';
import { replaceDescribed } from '../../../src/commands/project/plan/described.ts';
import { type Plan, planApply } from '../../../src/commands/project/plan/plan.ts';
import type { Held, Present, PresentAlias, PresentConfig } from '../../../src/commands/project/plan/present.ts';
import { type ConfigRecord, emptyRecord, isProjectRecord } from '../../../src/commands/project/plan/record.ts';
import type { Wanted, WantedConfig } from '../../../src/commands/project/plan/wanted.ts';
import { readWanted } from '../../../src/commands/project/read-wanted.ts';
import { checkDocument } from '../../../src/local/project/project-check.ts';
import { wholeDocument } from '../../../src/local/project/project-document.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';

const nothing: Wanted = { project: 'p', actors: [], aliases: [], configs: [] };
const empty: Present = {
  record: emptyRecord('salt'),
  actors: new Map(),
  aliases: new Map(),
  configs: new Map(),
  user: 'dev',
  names: new Map(),
  digests: new Map(),
  shared: new Map(),
};

const plan = (wanted: Partial<Wanted>, present: Partial<Present>): Plan =>
  planApply({ ...nothing, ...wanted }, { ...empty, ...present }, { prune: false, renewed: new Set() });

const heldBy = (owner: string): Held => ({ mayUpdate: true, owner, permissions: {} });

const aliasOf = (owner: string): PresentAlias => ({
  ...heldBy(owner),
  alias: { alias: 'front', actorId: 'Aaaaaaaaaaaa1', owner, _links: {} },
});

const configOf = (owner: string, revision: number, actors = ''): PresentConfig => ({
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

const kept: WantedConfig = { name: 'key', value: 'keep', actors: [], permissions: {}, at: 'actorctl.yaml:1:1' };

describe('what a project takes over', () => {
  const front = {
    alias: 'front',
    target: { kind: 'outside', name: 'Aaaaaaaaaaaa1' },
    permissions: {},
    at: '',
  } as const;

  it('is never the thing of another user, even with UPDATE on it', () => {
    const aliases = new Map([['front', aliasOf('ana')]]);
    expect(() => plan({ aliases: [front] }, { aliases })).toThrow('a project cannot take over alias "front" of ana');
    const configs = new Map([['key', configOf('ana', 1)]]);
    expect(() => plan({ configs: [kept] }, { configs })).toThrow('a project cannot take over config "key" of ana');
  });

  it('is the own thing, and stays what a colleague made for the project', () => {
    expect(plan({ aliases: [front] }, { aliases: new Map([['front', aliasOf('dev')]]) }).steps).toHaveLength(1);
    const record = { ...empty.record, aliases: { front: { users: [] } } };
    expect(plan({ aliases: [front] }, { record, aliases: new Map([['front', aliasOf('ana')]]) }).steps).toHaveLength(1);
  });
});

describe('a secret that is kept', () => {
  const recorded = (entry: ConfigRecord, revision: number) => {
    const record = { ...empty.record, configs: { key: entry } };
    return plan({ configs: [kept] }, { record, configs: new Map([['key', configOf('dev', revision)]]) }).steps[0]
      ?.recorded;
  };

  it('has its digest as long as nobody else changed it', () => {
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
    const parsed = parseProjectText('actorctl.yaml', `project: p\n${text}`);
    const file = { folder: '/nowhere', text: parsed, document: checkDocument(wholeDocument, parsed, parsed.value) };
    const read = (): Promise<never> => Promise.reject(new Error('no file is named'));
    const reading = readWanted({ read, user: { env: {}, home: '/', platform: 'linux' } }, file, {
      allowOutside: false,
    });
    await expect(reading).rejects.toThrow(new RegExp(`^actorctl.yaml:${place}: .*is the record of a project$`));
  });
});

it('a schedule whose switch left the file is on again', () => {
  const off = { image: 'busybox', cronSchedule: '@daily' };
  const said = { image: 'busybox', cronSchedule: '@daily' };
  expect(replaceDescribed(off, said)).toEqual(off);
  expect(replaceDescribed(off, said, ['cronOn'])).toEqual({ ...off, cronOn: true });
  expect(replaceDescribed(off, { image: 'busybox' }, ['cronOn', 'cronSchedule'])).not.toHaveProperty('cronOn');
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
  expect(usersOf({ actors }, new Set(['app:1']))).toEqual(new Set(['one', 'two']));
});

it('the images of dev stay as many as those of the project', () => {
  expect(['app:dev', 'app:2', 'host:5000/app'].map(liveImage)).toEqual([
    'app:dev-live',
    'app:2-live',
    'host:5000/app:dev-live',
  ]);
});

it('a record that this version did not write is not read', () => {
  const actor = { id: 'Aaaaaaaaaaaa1', fields: [], users: [], shares: [] };
  const record = (entry: unknown): unknown => ({ ...emptyRecord('salt'), actors: { a: entry } });
  expect(isProjectRecord(record(actor))).toBe(true);
  for (const wrong of [{ users: [] }, { ...actor, shares: undefined }, { ...actor, id: 7 }, { ...actor, users: [7] }])
    expect(isProjectRecord(record(wrong))).toBe(false);
});
