// The form of an actor in a real Chromium: its folder picker, by keyboard and by mouse, a name that is taken, and
// variables from configs.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../support/browser/axe.ts';
import { browserRequirement, visitor } from '../support/browser/browser.ts';
import { type Dashboard, heading, startDashboard } from '../support/browser/dashboard.ts';
import { describeIf } from '../support/runner/requirements.ts';

describeIf(browserRequirement(), 'the form of an actor', () => {
  let dashboard: Dashboard;
  let report: string;
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'actorctl-folders-')));
  const write = (name: string, text: string): void => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent');
  const typePath = async (page: Page, path: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Path of the folder' }).fill(path);
    await page.getByRole('textbox', { name: 'Path of the folder' }).press('Enter');
  };

  beforeAll(async () => {
    write('here/notes/readme', 'text');
    write('here/weather/actor.json', '{"command": ["sh", "-c", "echo in $CITY"]}');
    write(
      'here/weather/actorctl.json',
      JSON.stringify({
        name: 'weather',
        description: 'Reads the weather',
        env: { CITY: 'Bern' },
        time_limit: 60,
        stateless: false,
        hints: ['nightly'],
        alias: 'w',
      }),
    );
    write('here/wrong/actor.json', '{"command": ["true"]}');
    write('here/wrong/actorctl.json', '{"memori": "64m"}');
    dashboard = await startDashboard();
    report = await dashboard.actor('report');
  });
  afterAll(async () => {
    await dashboard?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('has a folder picker that is used with the keys alone, and creates an actor from the folder', async () => {
    const { page, complaints, close } = await dashboard.open('actors?create=yes');
    await page.getByRole('button', { name: 'Choose a folder' }).press('Enter');
    await page.getByRole('list', { name: /^Folders in / }).waitFor();
    await typePath(page, join(root, 'here'));
    await page.getByRole('list', { name: `Folders in ${root}/here` }).waitFor();
    await expect.poll(() => focused(page)).toBe(`Up to ${root}`);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('notes');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('weather, an actor');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('list', { name: `Folders in ${root}`, exact: true }).waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toBe('here');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: `Folders in ${root}/here` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText(`${root}/here/weather is an actor.`).waitFor();
    await page.getByRole('button', { name: 'Use this folder' }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Choose a folder');
    await page.getByText(`Selected folder ${root}/here/weather.`).waitFor();
    expect(await page.getByRole('combobox', { name: /^Image/ }).inputValue()).toBe(`file://${root}/here/weather`);
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('weather');
    expect(await page.getByRole('textbox', { name: /^Variables/ }).inputValue()).toBe('CITY=Bern');
    expect(await page.getByRole('checkbox', { name: /^Stateful/ }).isChecked()).toBe(true);
    await page.getByText('Also taken from actorctl.json: hints.').waitFor();
    await page.getByText('Not taken from actorctl.json: alias.').waitFor();
    await page.getByText(`actorctl actors create ${root}/here/weather --wait`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading(page, /weather/);
    expect(await dashboard.home.json('actors', 'show', 'weather')).toMatchObject({
      image: `file://${root}/here/weather`,
      description: 'Reads the weather',
      default_environment: { CITY: 'Bern' },
      max_run_time: 60,
      stateless: false,
      hints: ['nightly'],
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it('names the error of a folder and of a project file, and cannot use it', async () => {
    const { page, close } = await dashboard.open('actors?create=yes');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByRole('list', { name: /^Folders in / }).waitFor();
    await typePath(page, 'here');
    await page.getByRole('alert').getByText('"here" is not an absolute path').waitFor();
    await typePath(page, join(root, 'nosuch'));
    await page.getByRole('alert').getByText('does not exist').waitFor();
    await typePath(page, join(root, 'here'));
    await page.getByText('here has no actor.json, so it is not an actor.').waitFor();
    const use = page.getByRole('button', { name: 'Use this folder' });
    expect(await use.isDisabled()).toBe(true);
    // The note about a folder does not stay under the error of another one.
    await page.getByRole('button', { name: 'weather, an actor' }).click();
    await page.getByText('weather is an actor.').waitFor();
    expect(await use.isEnabled()).toBe(true);
    await typePath(page, join(root, 'here/notes/readme'));
    await page.getByRole('alert').getByText('readme: it is not a folder').waitFor();
    expect([await page.getByText('is an actor.').count(), await use.isDisabled()]).toEqual([0, true]);
    await typePath(page, join(root, 'here'));
    await page.getByRole('button', { name: 'wrong, an actor' }).click();
    await page.getByText('no field named "memori"').waitFor();
    expect(await use.isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('replaces what another folder filled, and keeps what was typed before', async () => {
    write('plain/actor.json', '{"command": ["true"]}');
    const { page, close } = await dashboard.open('actors?create=yes', { viewport: { width: 375, height: 800 } });
    await page.getByRole('textbox', { name: 'Memory' }).fill('64m');
    for (const name of ['here/weather', 'plain']) {
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('list', { name: /^Folders in / }).waitFor();
      await typePath(page, join(root, name));
      await page.getByText(`${root}/${name} is an actor.`).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      await page.getByRole('button', { name: 'Use this folder' }).click();
    }
    expect(await page.getByRole('textbox', { name: 'Memory' }).inputValue()).toBe('64m');
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('');
    expect(await page.getByRole('textbox', { name: /^Variables/ }).inputValue()).toBe('');
    expect(await page.getByText('Also taken from actorctl.json').count()).toBe(0);
    await close();
  });

  it('refuses the name of another actor in the words of the command, and creates it on request', async () => {
    const { home } = dashboard;
    const { page, complaints, close } = await dashboard.open('actors?create=yes');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const named = async () =>
      (await home.json<{ id: string; name: string }[]>('actors', 'list')).filter((each) => each.name === 'report');
    await page.getByRole('combobox', { name: /^Image/ }).fill(dashboard.image);
    await name.fill('report');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const text = `ou already own an actor named "report": ${report}`;
    await page.getByText(`Y${text}.`, { exact: true }).waitFor();
    const { stderr } = await home.cli(['actors', 'create', dashboard.image, '--name', 'report']);
    expect(stderr).toContain(`y${text}`);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('actor-name');
    expect(await named()).toHaveLength(1);
    expect(await page.getByRole('link', { name: 'Edit it' }).getAttribute('href')).toBe(`#/actors/${report}?tab=edit`);
    await page
      .getByText(`actorctl actors create ${dashboard.image} --name report --if-exists duplicate`)
      .waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create another one' }).click();
    await heading(page, /report/);
    const made = (await named()).map(({ id }) => id).filter((id) => id !== report);
    expect(made).toHaveLength(1);
    // Another actor cannot be renamed to it.
    await page.getByRole('button', { name: 'Edit' }).click();
    await name.fill('second');
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, /second/);
    await page.getByRole('button', { name: 'Edit' }).click();
    await name.fill('report');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Y${text}. Choose another name.`).waitFor();
    expect(await named()).toHaveLength(1);
    await home.cli(['actors', 'delete', ...made, '--yes']);
    expect(complaints).toEqual([]);
    await close();
  });

  it('gets variables from configs, which the form lists, and keeps them when something else is edited', async () => {
    const { home } = dashboard;
    await home.json('configs', 'create', 'db', '--value', '{"password":"p"}', '--share', 'report');
    await home.json('configs', 'create', 'api.key', '--value', 'k');
    const { page, complaints, close } = await dashboard.open(`actors/${report}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Add a variable from a config' }).click();
    await page.getByRole('textbox', { name: 'Name of variable 1' }).fill('DB_PASSWORD');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Choose a config for the variable DB_PASSWORD').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Config of variable 1');
    await page.getByRole('combobox', { name: 'Config of variable 1' }).selectOption('db');
    await page.getByRole('textbox', { name: 'Member of the value for variable 1' }).fill('password');
    await page.getByRole('button', { name: 'Add a variable from a config' }).click();
    await page.getByRole('combobox', { name: 'Config of variable 2' }).selectOption('api.key');
    await page.getByText('actorctl configs share api.key report').waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await page
      .getByText("actorctl actors update -e 'DB_PASSWORD=@config:db#password' report")
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The changes are saved.').waitFor();
    await page.getByRole('link', { name: 'Description' }).click();
    await page.getByText('from config db, password').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Description' }).fill('edited');
    await page.getByRole('button', { name: 'Save' }).click();
    // The notice of the first change may still be there.
    await expect
      .poll(() => home.json('actors', 'show', 'report'))
      .toMatchObject({
        description: 'edited',
        config_environment: { DB_PASSWORD: { config: 'db', path: 'password' } },
      });
    expect(complaints).toEqual([]);
    await close();
  });

  it('has no folder picker for a user without the role admin', async () => {
    await dashboard.home.cli(['users', 'create', 'eve', '--password-stdin'], { input: 'a-long-password\n' });
    const { page, close } = await visitor(dashboard.browser);
    await page.goto(`${dashboard.baseUrl}/#/actors?create=yes`);
    await page.getByLabel('Username').fill('eve');
    await page.getByLabel('Password').fill('a-long-password');
    await page.getByRole('button', { name: 'Log in' }).click();
    const asked = page.waitForResponse((response) => response.url().endsWith('/actors/v2/admin/images'));
    await heading(page, /New/);
    expect((await asked).status()).toBe(403);
    await page.getByRole('combobox', { name: /^Image/ }).fill('typed:1');
    expect(await page.getByRole('button', { name: 'Choose a folder' }).count()).toBe(0);
    await close();
  });
});
