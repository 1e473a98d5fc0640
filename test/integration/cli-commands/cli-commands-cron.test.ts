// `cron`, and the links, webhooks, schedules, aliases and configs that `actors create` and `actors update` set, with
// the built programs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';

let home: SharedHome;
let image: string;

beforeAll(async () => {
  home = await sharedHome();
  const folder = join(home.folder, 'diary');
  mkdirSync(folder);
  const echo =
    'echo "$MSG at $_svc_cron_scheduled_time missed $_svc_cron_missed by ${_svc_username-nobody}"; echo "$_actor_configs"';
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', echo] }));
  image = `file://${folder}`;
  for (const name of ['one', 'two']) await home.cli(['actors', 'create', image, '--name', name]);
});

afterAll(() => home.remove());

describe('cron', () => {
  it('set makes an actor run on schedule, with the scheduled time as a variable', async () => {
    const thisHour = new Date().toISOString().slice(0, 13).replace('T', ' ');
    const set = await home.cli(['cron', 'set', 'one', `${thisHour} + 1 hour`, '--message', 'good morning']);
    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/^one: .* \+ 1 hour, next \d{4}-/) });
    const line = /^good morning at \d{4}-\d\d-\d\dT\d\d:00:00\.000Z missed 0 by nobody$/m;
    await expect.poll(async () => (await home.cli(['logs', 'one@last'])).stdout).toMatch(line);
    expect(await home.json('executions', 'show', 'one@last')).toMatchObject({ executor: 'cron' });
  });

  it('set with `now` runs for the first time after one interval', async () => {
    /** The time of a change by the clock of the daemon. */
    const changed = async (text: string): Promise<number> => {
      const actor = await home.json<{ last_update_time: string }>('actors', 'update', 'two', '--description', text);
      return Date.parse(actor.last_update_time);
    };
    const before = await changed('before');
    const { cron_next_time } = await home.json<{ cron_next_time: string }>('cron', 'set', 'two', 'now + 1 hour');
    expect(Date.parse(cron_next_time)).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(Date.parse(cron_next_time)).toBeLessThanOrEqual((await changed('after')) + 3_600_000);
  });

  it('show, off, on, next, list and unset work', async () => {
    await home.cli(['cron', 'set', 'two', '30 9 1 1 *', '--tz', 'Asia/Kolkata']);
    expect(await home.json('cron', 'show', 'two')).toMatchObject({
      cron_schedule: '30 9 1 1 *',
      cron_time_zone: 'Asia/Kolkata',
      cron_on: true,
      cron_next_time: expect.stringMatching(/-01-01T04:00:00\.000Z$/),
    });
    expect(await home.cli(['cron', 'disable', 'two'])).toMatchObject({ code: 0, stdout: 'two: 30 9 1 1 *, off\n' });
    expect(await home.cli(['cron', 'next', 'two', '-n', '2', '-o', 'id'])).toMatchObject({
      stdout: expect.stringMatching(/^(\d{4}-01-01T04:00:00\.000Z\n){2}$/),
      stderr: expect.stringContaining('the schedule is off'),
    });
    expect(await home.json('cron', 'enable', 'two')).toMatchObject({ cron_on: true });
    expect((await home.cli(['cron', 'list', '-o', 'name'])).stdout.split('\n')).toContain('two');
    expect(await home.cli(['cron', 'unset', 'two'])).toMatchObject({ code: 0, stdout: 'two: no schedule\n' });
    expect((await home.cli(['cron', 'unset', 'two'])).stdout).toBe('two: there was no schedule\n');
    expect((await home.cli(['cron', 'list', '-o', 'name'])).stdout.split('\n')).not.toContain('two');
  });

  it.each([
    [['cron', 'set', 'two', '0 0 31 2 *'], 2, 'never occurs'],
    [['cron', 'set', 'two', '2020-01-01 00 + 1 day'], 2, 'starts in the past'],
    [['cron', 'set', 'two', 'now + 0 hours'], 2, 'not 0'],
    [['cron', 'set', 'two', ''], 2, 'empty'],
    [['cron', 'set', 'two', '@daily', '--tz', 'Mars/Base'], 2, '--tz must be the name of a time zone'],
    [['cron', 'enable', 'two'], 2, 'cronOn'],
    [['cron', 'next', 'two', '-n', '0'], 2, '--count'],
    [['cron', 'show', 'nobody'], 6, 'nobody'],
  ])('%j exits with %i', async (args, code, words) => {
    expect(await home.cli(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
  });
});

describe('actors create and update', () => {
  it('set link, webhook, schedule, alias and configs', async () => {
    await home.cli(['configs', 'create', 'db', '--value', '{"host":"a","big":12345678901234567890}']);
    const made = await home.cli([
      ...['actors', 'create', image, '--name', 'wired', '--alias', 'wire', '--config', 'db', '--link', 'one'],
      ...['--webhook', 'http://127.0.0.1:9/hook', '--cron', '0 9 * * mon-fri'],
    ]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Created actor wired \(\w+\), alias wire, config db/),
    });
    const one = await home.json<{ id: string }>('actors', 'show', 'one');
    const shown = await home.json<{ id: string }>('actors', 'show', 'alias:wire');
    expect(shown).toMatchObject({
      link: one.id,
      webhook: 'http://127.0.0.1:9/hook',
      cron_schedule: '0 9 * * mon-fri',
      cron_on: true,
    });
    expect(await home.json('configs', 'show', 'db')).toMatchObject({ actors: shown.id });
    expect((await home.cli(['run', 'wired', '-m', 'x'])).stdout).toContain('"big":12345678901234567890');
    const updated = await home.cli(['actors', 'update', 'wired', '--unset', 'cron', '--unset', 'webhook', '--json']);
    expect(JSON.parse(updated.stdout)).toMatchObject({ webhook: '', cron_on: false, link: one.id });
    expect(await home.cli(['actors', 'update', 'wired', '--alias', 'wire2'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('alias wire2'),
    });
  });

  it('exit with 7 for a loop of links and spell it out, with 6 for an unknown target, and create nothing for a taken alias', async () => {
    await home.cli(['actors', 'create', image, '--name', 'tail', '--alias', 'tail']);
    await home.cli(['actors', 'create', image, '--name', 'head', '--link', 'alias:tail']);
    expect(await home.json('actors', 'show', 'head')).toMatchObject({ link: 'tail' });
    expect(await home.cli(['actors', 'update', 'tail', '--link', 'head'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('tail -> head -> tail'),
    });
    expect(await home.cli(['actors', 'create', image, '--link', 'nobody'])).toMatchObject({ code: 6 });
    const taken = await home.cli(['actors', 'create', image, '--name', 'late', '--alias', 'tail']);
    expect(taken).toMatchObject({ code: 7, stderr: expect.stringContaining('already exists') });
    expect(await home.cli(['actors', 'create', image, '--name', 'late', '--config', 'none'])).toMatchObject({
      code: 6,
    });
    expect(await home.cli(['actors', 'show', 'late'])).toMatchObject({ code: 6 });
  });

  it('list separates own actors from shared ones', async () => {
    expect((await home.cli(['actors', 'list', '--mine', '-o', 'name'])).stdout).toContain('one\n');
    expect((await home.cli(['actors', 'list', '--shared', '-o', 'name'])).stdout).toBe('');
    expect(await home.cli(['actors', 'list', '--mine', '--shared'])).toMatchObject({ code: 2 });
  });
});
