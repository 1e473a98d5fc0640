// Actor descriptions: how they are built from flags and files, and how `actors update` changes them.
import { describe, expect, it } from 'vitest';
import { changeDescription, changedFields, descriptionOf } from '../../../src/commands/actors/actor-description.ts';
import { describe as describeActor, imageOf } from '../../../src/commands/actors/actor-flags.ts';
import type { Actor } from '../../../src/commands/framework/views.ts';

const reads = (content: string | Uint8Array) => ({ read: async () => Buffer.from(content) });

const actor: Actor = {
  id: 'CQyp4QZL6mea8',
  name: 'wc',
  description: 'counts',
  image: 'wc:1',
  owner: 'dev',
  status: 'READY',
  statusMessage: '',
  stateless: true,
  default_environment: { LOG: 'info', OLD: '1' },
  senderVariables: [],
  hints: ['a'],
  type: 'none',
  link: '',
  webhook: '',
  queue: 'default',
  token: false,
  tokenReach: 'none',
  privileged: false,
  useContainerUid: false,
  cronOn: false,
  mounts: [],
  state: {},
  revision: 1,
  version: 1,
  memLimit: '512m',
  createTime: '2026-11-21T12:00:00.000Z',
  lastUpdateTime: '2026-11-21T12:00:00.000Z',
  _links: {},
};
const none = {
  description: undefined,
  env: [],
  envFile: undefined,
  senderVariables: [],
  hint: [],
  memory: undefined,
  cpus: undefined,
  placement: [],
  workers: undefined,
  timeLimit: undefined,
  webhook: undefined,
  cron: undefined,
  token: false,
  mask: true,
  privileged: false,
  file: undefined,
  form: false,
};

describe('the description of an actor', () => {
  it('sent back unchanged omits defaults, so it needs no role that the caller lacks', () => {
    expect(descriptionOf(actor)).toEqual({
      name: 'wc',
      description: 'counts',
      image: 'wc:1',
      default_environment: { LOG: 'info', OLD: '1' },
      hints: ['a'],
      type: 'none',
      memLimit: '512m',
    });
  });
  it('keeps the fields that a change does not mention', () => {
    const before = descriptionOf(actor);
    const after = changeDescription(before, { image: 'wc:2', default_environment: { LOG: 'debug', NEW: '' } }, [
      'env:OLD',
      'hints',
    ]);
    expect(after).toEqual({
      name: 'wc',
      description: 'counts',
      image: 'wc:2',
      default_environment: { LOG: 'debug', NEW: '' },
      type: 'none',
      memLimit: '512m',
    });
    expect(changedFields(before, after)).toEqual([
      'image',
      'default_environment.LOG',
      'default_environment.OLD',
      'default_environment.NEW',
      'hints',
    ]);
    expect(changedFields(before, changeDescription(before, {}, []))).toEqual([]);
    expect(changeDescription(before, {}, ['env'])).not.toHaveProperty('default_environment');
  });
  it('has an empty schedule after the schedule was unset, because an omitted schedule is kept', () => {
    const before = { image: 'wc:1', cronSchedule: '@hourly', cronOn: true, cronMessage: 'hi', webhook: 'http://a' };
    expect(changeDescription(before, {}, ['cron', 'webhook'])).toEqual({ image: 'wc:1', cronSchedule: '' });
    expect(changeDescription(before, {}, ['cronMessage'])).toMatchObject({ cronSchedule: '@hourly', cronMessage: '' });
    expect(changeDescription({ image: 'wc:1' }, {}, ['cron'])).toEqual({ image: 'wc:1' });
  });
  it.each(['image', 'name', 'stateless', 'force', 'nope', 'id', 'env:'])('refuses to unset %s', (name) => {
    expect(() => changeDescription(descriptionOf(actor), {}, [name])).toThrow(`"${name}" cannot be unset`);
  });
  it('accepts both field spellings in a file, and flags override the file', async () => {
    const document = '{"image":"wc:1","mem_limit":"1g","maxWorkers":4,"defaultEnvironment":{"A":"1","B":"2"}}';
    expect(await describeActor(reads(document), { ...none, file: 'a.json', memory: '2g', env: ['B=3'] })).toEqual({
      image: 'wc:1',
      memLimit: '2g',
      maxWorkers: 4,
      default_environment: { A: '1', B: '3' },
    });
  });
  it.each(['[]', '1', '{', '', '{"image":"x","later":1}'])('is refused if the file holds %j', async (document) => {
    await expect(describeActor(reads(document), { ...none, file: '-' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

it.each([
  ['./wc', '/home/dev', 'file:///home/dev/wc'],
  ['./wc', '/home/dev/C#', 'file:///home/dev/C%23/wc'],
  ['../a%20b', '/home/dev', 'file:///home/a%2520b'],
  ['.', '/srv/my actor?', 'file:///srv/my%20actor%3F'],
  ['wc:1', '/home/dev', 'wc:1'],
])('the image %s in the folder %s is %s', (given, cwd, image) => {
  expect(imageOf({ cwd }, given)).toBe(image);
});
