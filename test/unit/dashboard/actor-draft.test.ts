// The form of an actor: the requests and command lines that it becomes, and the order of the list.
import { describe, expect, it } from 'vitest';
import { fieldProblems } from '../../../daemon/web/dashboard/parts/actions/field-problems.ts';
import {
  commandOf,
  creationOf,
  draftOf,
  emptyDraft,
  fieldWords,
  readVariables,
  updateOf,
} from '../../../daemon/web/dashboard/views/actors/edit/draft.ts';
import { type Actor, type ActorRow, orderOf, sorted } from '../../../daemon/web/dashboard/views/actors/rows.ts';
import { fields } from '../../../src/contract/for-client.ts';

const actor = {
  id: 'a1',
  name: 'wc',
  description: 'counts',
  image: 'wc:1',
  stateless: true,
  default_environment: { LOG: 'info', TEXT: 'one\ntwo' },
  senderVariables: ['CITY'],
  hints: [],
  type: '',
  link: 'next',
  webhook: '',
  queue: 'default',
  token: false,
  privileged: false,
  useContainerUid: false,
  cronOn: true,
  cronSchedule: '@hourly',
  maxCpus: 500_000_000,
  memLimit: '64m',
  version: 3,
} as unknown as Actor;

describe('variables in the form', () => {
  it('keep values with line breaks, equals signs and spaces', () => {
    const variables = { A: 'b=c', TEXT: 'one\ntwo', SPACE: ' x ' };
    const { variables: lines } = draftOf({ ...actor, default_environment: variables });
    expect(readVariables(lines)).toEqual(variables);
  });

  it('are refused with the number of a line that has no name', () => {
    expect(() => readVariables('A=1\r\n\nB')).toThrow('Line 3 of the variables must look like NAME=value.');
    expect(() => readVariables('=1')).toThrow('Line 1');
  });
});

describe('the request of the form', () => {
  it('creates an actor with the fields that were filled in', () => {
    const draft = { ...emptyDraft, image: ' wc:1 ', name: 'wc', cpus: '0.5', seconds: '90', isStateful: true };
    expect(creationOf(draft)).toEqual({
      image: 'wc:1',
      name: 'wc',
      default_environment: {},
      maxCpus: 500_000_000,
      maxRunTime: 90,
      stateless: false,
    });
  });

  it.each([
    [{ cpus: 'two' }, 'Processors must be a number like 2 or 0.5.'],
    [{ workers: '1.5' }, 'Maximum workers must be a whole number.'],
    [{ seconds: '1h' }, 'Time limit must be a whole number.'],
  ])('is refused for %j', (change, message) => {
    expect(() => creationOf({ ...emptyDraft, ...change })).toThrow(message);
  });

  it('repeats the fields that the form does not show, and leaves out defaults', () => {
    expect(updateOf(actor, { ...draftOf(actor), memory: '' })).toEqual({
      image: 'wc:1',
      name: 'wc',
      description: 'counts',
      default_environment: { LOG: 'info', TEXT: 'one\ntwo' },
      senderVariables: ['CITY'],
      link: 'next',
      cronOn: true,
      cronSchedule: '@hourly',
      maxCpus: 500_000_000,
    });
  });
});

it('an update repeats every field of the contract that it would otherwise reset', () => {
  // An update cannot change the first three, and the state would overwrite a newer one.
  const notSent = ['stateless', 'dialect', 'force', 'state'];
  const configs = [{ name: 'KEY', config: 'key', path: '' }];
  const sent = { ...draftOf(actor), configs, memory: '1g', cpus: '1', workers: '2', seconds: '9' };
  const values = fields.actorUpdate.filter((field) => !notSent.includes(field)).map((field) => [field, 'set']);
  const whole = { ...Object.fromEntries(values), default_environment: {} } as unknown as Actor;
  expect(Object.keys(updateOf(whole, sent)).toSorted()).toEqual(values.map(([field]) => field).toSorted());
});

describe('an error of the form', () => {
  const of = (message: string) => fieldProblems(new Error(message), fieldWords);

  it('of the service stands beside each field that it names, in the words of the form', () => {
    expect(of('memLimit must look like 512m; maxWorkers must be at most 1000; then more.')).toEqual([
      { field: 'memory', text: 'Memory must look like 512m.' },
      { field: 'workers', text: 'Maximum workers must be at most 1000; then more.' },
    ]);
    expect(of('default_environment.A-B is not a valid name.')).toEqual([
      { field: 'variables', text: 'Variables A-B is not a valid name.' },
    ]);
  });

  it('without a field of the form stays as it is', () => {
    expect(of('constructor is wrong; the image is missing')).toEqual([
      { field: undefined, text: 'constructor is wrong; the image is missing' },
    ]);
    expect(of('queue is closed; image is required')).toEqual([
      { field: undefined, text: 'queue is closed.' },
      { field: 'image', text: 'Image is required.' },
    ]);
  });
});

describe('variables from configs in the form', () => {
  const configEnvironment = { KEY: { config: 'api.key' }, PW: { config: 'db', path: 'a.b' } };
  const draft = draftOf({ ...actor, configEnvironment });

  it('are those of the actor, and are sent back unchanged', () => {
    expect(draft.configs).toEqual([
      { name: 'KEY', config: 'api.key', path: '' },
      { name: 'PW', config: 'db', path: 'a.b' },
    ]);
    expect(updateOf(actor, draft)).toMatchObject({ configEnvironment });
    expect(updateOf({ ...actor, configEnvironment }, { ...draft, configs: [] })).not.toHaveProperty(
      'configEnvironment',
    );
  });

  it.each([
    [{ name: ' ', config: 'db', path: '' }, 'Give the variable for the config "db" a name, or remove it.'],
    [{ name: '', config: '', path: '' }, 'Give the variable a name, or remove it.'],
    [{ name: 'X', config: '', path: '' }, 'Choose a config for the variable X, or remove it.'],
    [{ name: 'KEY', config: 'db', path: '' }, 'The variable KEY has two configs. Remove one of them.'],
  ])('are refused with %j', (row, message) => {
    expect(() => updateOf(actor, { ...draft, configs: [...draft.configs, row] })).toThrow(message);
  });

  it('are references on the command line, where a text that begins with @ is not', () => {
    expect(commandOf({ ...draft, variables: 'LOG=@x', configs: draft.configs.slice(1) }, actor, { word: 'wc' })).toBe(
      "actorctl actors update -e LOG=@@x -e 'PW=@config:db#a.b' --unset env:TEXT wc",
    );
    expect(commandOf(draftOf(actor), { ...actor, configEnvironment }, { word: 'wc' })).toBe(
      'actorctl actors update --unset env:KEY --unset env:PW wc',
    );
  });
});

describe('the command of the form', () => {
  it('creates the actor', () => {
    expect(
      commandOf({ ...emptyDraft, image: 'wc:1', variables: 'A=x y', workers: '2', isLegacy: true }, undefined),
    ).toBe("actorctl actors create wc:1 -e 'A=x y' --workers 2 --dialect legacy");
  });

  it('makes only the changes', () => {
    const draft = { ...draftOf(actor), image: 'wc:2', variables: 'LOG=debug', memory: '' };
    expect(commandOf(draft, actor, { word: 'wc' })).toBe(
      'actorctl actors update --image wc:2 -e LOG=debug --unset env:TEXT --unset memLimit wc',
    );
  });
});

it('the list is sorted by name, by errors or by the last run, and by age if the address names no order', () => {
  const rows = [
    { id: '1', name: 'b', status: 'READY', lastExecutionTime: '2026-01-02' },
    { id: '2', name: 'a', status: 'ERROR' },
    { id: '3', name: 'c', status: 'READY', lastExecutionTime: '2026-01-03' },
  ] as unknown as readonly ActorRow[];
  const by = (order: string | undefined) =>
    sorted(rows, orderOf(order))
      .map(({ name }) => name)
      .join('');
  expect([by('name'), by('status'), by('run'), by(undefined), by('constructor')]).toEqual([
    'abc',
    'abc',
    'cba',
    'bac',
    'bac',
  ]);
});
