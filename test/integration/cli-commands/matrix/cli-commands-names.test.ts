// Names of actors in the lists of the command line: the name for people, both with `-o wide`, the id for programs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../../support/commands/shared-home.ts';
import { shellActor } from '../../../support/daemon/shell-actor.ts';

let home: SharedHome;
/** The ids of the actors by name. `nameless` has none. */
const ids: Record<'first' | 'second' | 'nameless', string> = { first: '', second: '', nameless: '' };

beforeAll(async () => {
  home = await sharedHome();
  const image = shellActor(home.folder);
  const create = async (...more: string[]) =>
    (await home.json<{ id: string }>('actors', 'create', image, '--wait', ...more)).id;
  ids.second = await create('--name', 'second');
  // Nothing listens on port 9, so the deliveries to it fail at once.
  ids.first = await create('--name', 'first', '--link', ids.second, '--webhook', 'http://127.0.0.1:9/');
  ids.nameless = await create();
  await home.json('cron', 'set', 'first', '0 0 1 1 *');
  await home.json('configs', 'create', 'db', '--value', '1', '--share', 'first');
  await home.json('aliases', 'create', 'uno', 'first');
  for (const actor of ['first', 'first', 'first', ids.nameless]) await home.json('run', actor, '-m', 'hello');
});
afterAll(() => home.remove());

const shown = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.cli(args);
  expect(code, stderr).toBe(0);
  return stdout;
};

describe('a list', () => {
  it.each([
    ['actors list'],
    ['executions list'],
    ['executions stats --by actor'],
    ['cron list'],
    ['configs list'],
    ['aliases list'],
    ['webhooks deliveries'],
    ['events list --type EXECUTION_COMPLETE'],
    ['search actors first'],
    ['search executions'],
    ['search workers'],
    ['search logs hello'],
    ['admin actors'],
    ['admin workers'],
    ['admin executions'],
  ])('%s shows names in place of the ids of actors, both with -o wide, and the id as JSON', async (line) => {
    const args = line.split(' ');
    const text = await shown(...args);
    expect(text).toMatch(/\bfirst\b/);
    expect(text).not.toContain(ids.first);
    expect(text).not.toContain(ids.second);
    const wide = (await home.cli([...args, '-o', 'wide'])).stdout;
    expect(wide).toMatch(/\bfirst\b/);
    expect(wide).toContain(ids.first);
    expect((await home.cli([...args, '--json'])).stdout).toContain(ids.first);
  });

  it.each([
    ['actors list', 1],
    ['executions list', 1],
    ['search logs hello', 1],
    ['admin executions', 0],
  ])('%s shows the id of an actor without a name', async (line, column) => {
    const rows = (await shown(...line.split(' '))).split('\n').map((row) => row.split('\t'));
    expect(rows.flatMap((row) => row.slice(0, column + 1))).toContain(ids.nameless);
  });

  it.each([
    ['executions list --debug'],
    ['events list --debug'],
    ['webhooks deliveries --debug'],
    ['search executions --debug'],
  ])('%s requests all names at once', async (line) => {
    const { stderr } = await home.cli(line.split(' '));
    expect(stderr.match(/GET \S*\/actors\/v2(?= )/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/GET \S*\/actors\/v2\/[A-Za-z0-9]{13} /);
  });

  it('of executions names an actor in JSON, for filters and for sorting too', async () => {
    const rows = (await home.json('executions', 'list', '--filter', 'actor_name=first')) as unknown as object[];
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ actor_id: ids.first, actor_name: 'first' });
  });

  it('shows the id of an actor that was deleted', async () => {
    const image = shellActor(home.folder);
    const { id } = await home.json<{ id: string }>('actors', 'create', image, '--name', 'gone', '--wait');
    await home.json('actors', 'delete', 'gone', '--yes');
    const text = await shown('events', 'list', '--type', 'ACTOR_READY');
    expect(text).toContain(`ACTOR_READY\t${id}\t`);
    expect(text).not.toContain('gone');
  });
});

describe('a single resource', () => {
  it('is shown with the name and the id of its actor', async () => {
    for (const args of [
      ['executions', 'show', 'first@last'],
      ['cron', 'show', 'first'],
      ['links', 'show', 'first'],
    ]) {
      const text = await shown(...args);
      expect(text).toContain('actor\tfirst\n');
      expect(text).toContain(`actor id\t${ids.first}\n`);
    }
  });

  it('names the actors of its links', async () => {
    expect(await shown('links', 'show', 'first')).toContain('sends to\tsecond\n');
    expect(await shown('links', 'show', 'second')).toContain('gets from\tfirst\n');
    expect(await home.json('links', 'show', 'second')).toMatchObject({ in: [ids.first], in_names: ['first'] });
    expect(await shown('actors', 'show', 'first')).toContain('link\tsecond\n');
    expect(await shown('actors', 'show', 'second')).toContain('linked from\tfirst\n');
    const newest = await shown('events', 'list', '--actor', 'first', '--type', 'EXECUTION_COMPLETE', '-o', 'id');
    const event = await shown('events', 'show', newest.split('\n')[0] ?? '');
    expect(event).toContain('actor\tfirst\n');
    expect(event).toContain('linked to\tsecond\n');
  });
});
